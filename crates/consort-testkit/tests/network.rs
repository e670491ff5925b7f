//! The bad network carries real packets, and is as bad as it says.

use consort_testkit::network::{BadNetwork, Side, Weather};
use std::process::Stdio;

const SERVER: &str = "import socket, sys
server = socket.create_server((sys.argv[1], 7000))
print('listening', flush=True)
connection, _ = server.accept()
while data := connection.recv(4096):
    connection.sendall(data)";

const CLIENT: &str = "import socket, sys
connection = socket.create_connection((sys.argv[1], 7000), timeout=60)
for number in range(40):
    connection.sendall(b'%04d' % number)
received = b''
while len(received) < 160:
    received += connection.recv(4096)
print(received.decode())";

#[test]
fn tcp_repairs_what_the_network_spoils() {
    let seed = 11;
    let weather = Weather { loss: 0.2, ..Weather::BAD };
    let test = "tcp_repairs_what_the_network_spoils";
    let Some(network) = BadNetwork::or_skip(test, seed, weather) else { return };
    let (address, mut server) =
        (network.address(Side::Right), network.command(Side::Right, "python3"));
    let mut server = server.args(["-c", SERVER, address]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = [0; 9];
    std::io::Read::read_exact(server.stdout.as_mut().unwrap(), &mut line).unwrap();
    let mut client = network.command(Side::Left, "python3");
    let output = client.args(["-c", CLIENT, address]).output().unwrap();
    server.wait().unwrap();
    let expected: String = (0..40).map(|number| format!("{number:04}")).collect();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected, "seed {seed}: {output:?}");
    let counts = network.counts();
    assert!(0 < counts.dropped && 10 < counts.delivered, "seed {seed}: {counts:?}");
}

#[test]
fn the_two_sides_see_nothing_but_each_other() {
    let test = "the_two_sides_see_nothing_but_each_other";
    let Some(network) = BadNetwork::or_skip(test, 3, Weather::BAD) else { return };
    let mut command = network.command(Side::Left, "cat");
    let output = command.arg("/proc/net/dev").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let devices = text.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name.trim());
    let own: Vec<&str> = devices.filter(|name| ["eth0", "lo", "tun0"].contains(name)).collect();
    assert_eq!(own.len(), 2, "{text}");
    assert!(own.contains(&"tun0") && own.contains(&"lo"), "{text}");
}
