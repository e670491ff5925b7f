//! Programs that are played here, byte by byte: what no library would send.

use crate::bench::Shop;
use consort_models::foreign::{FRAME_BYTES_MAX, VERSION};
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::thread;

const INTERFACE: &str = "[inputs]\nu = {}\n[outputs]\ny = {}\nn = { type = \"Int32\" }\n\
                         b = { type = \"Boolean\" }\ns = { type = \"String\" }\n";

fn frame(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(1 + body.len()).unwrap();
    [&length.to_le_bytes()[..], &[kind], body].concat()
}

fn hello(version: u32, name: &str) -> Vec<u8> {
    let length = u32::try_from(name.len()).unwrap();
    let body = [b"consort\0", &version.to_le_bytes()[..], &length.to_le_bytes(), name.as_bytes()];
    frame(b'H', &body.concat())
}

/// Outputs as they should be but for what is given.
fn outputs(n: i64, b: u8, text: &[u8]) -> Vec<u8> {
    let length = u32::try_from(text.len()).unwrap();
    let y = 1.0_f64.to_le_bytes();
    [&y[..], &n.to_le_bytes(), &[b], &length.to_le_bytes(), text].concat()
}

fn skip(stream: &mut UnixStream) {
    let mut head = [0; 4];
    if stream.read_exact(&mut head).is_ok() {
        let mut body = vec![0; u32::from_le_bytes(head) as usize];
        stream.read_exact(&mut body).unwrap();
    }
}

/// What the run says to a program that sends these messages, each in answer to one.
fn said(messages: &[Vec<u8>]) -> String {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let messages = messages.to_vec();
    let player = thread::spawn(move || {
        for (index, message) in messages.iter().enumerate() {
            if index == 1 {
                skip(&mut theirs);
            }
            if 0 < index {
                skip(&mut theirs);
            }
            theirs.write_all(message).unwrap();
        }
        // What is left unread would turn an end into a break.
        theirs.shutdown(std::net::Shutdown::Write).unwrap();
        let mut rest = Vec::new();
        let _ = theirs.read_to_end(&mut rest);
    });
    let shop = Shop::new(&[("it.toml", INTERFACE)]);
    let played = shop.fresh(Some(ours)).and_then(|mut bench| {
        bench.initialize()?;
        bench.step()?;
        Ok(())
    });
    let said = played.unwrap_err().to_string();
    player.join().unwrap();
    said
}

#[test]
fn bad_first_messages_are_refused() {
    let cases = [
        vec![],
        hello(VERSION + 1, "it"),
        hello(VERSION, "that"),
        frame(b'H', b"GET / HT"),
        frame(b'H', b"conso"),
        frame(b'H', &[&b"consort\0"[..], &VERSION.to_le_bytes(), &[9, 0, 0, 0, b'i']].concat()),
        [hello(VERSION, "it"), vec![]].concat()[..9].to_vec(),
        frame(b'D', b""),
        frame(0xff, b""),
        vec![0, 0, 0, 0],
        b"GET / HTTP/1.1\r\n".to_vec(),
        u32::try_from(FRAME_BYTES_MAX + 1).unwrap().to_le_bytes().to_vec(),
        frame(b'L', b""),
    ];
    let said: Vec<String> = cases.iter().map(|case| said(std::slice::from_ref(case))).collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn bad_answers_end_the_run_and_say_what_was_bad() {
    let good = outputs(1, 1, b"ok");
    let cases = [
        vec![frame(b'D', &good)],
        vec![frame(b'D', &good[..good.len() - 1])],
        vec![frame(b'D', &[&good[..], &[0]].concat())],
        vec![frame(b'D', &outputs(1 << 31, 1, b""))],
        vec![frame(b'D', &outputs(1, 2, b""))],
        vec![frame(b'D', &outputs(1, 1, &[0xff]))],
        vec![frame(b'B', b"")],
        vec![frame(b'F', b"\x02\0\0\0no")],
        vec![frame(b'F', b"\xff\0\0\0no")],
        vec![frame(b'D', &good), frame(b'D', b"")],
        vec![frame(b'D', &good), frame(b'L', b"")],
        vec![frame(b'D', &good), vec![200, 0, 0, 0, b'D', 1]],
    ];
    let answered = |case: &Vec<Vec<u8>>| {
        let messages: Vec<_> = [hello(VERSION, "it")].into_iter().chain(case.clone()).collect();
        said(&messages)
    };
    let said: Vec<String> = cases.iter().map(answered).collect();
    insta::assert_snapshot!(said.join("\n"));
}
