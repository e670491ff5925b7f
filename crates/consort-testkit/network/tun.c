/* One end of a bad network: a network namespace of its own with a TUN device in it.
 *
 *     tun OWN PEER
 *
 * Standard input is a SOCK_SEQPACKET socket: a packet that the namespace sends becomes one message on it, and
 * a message becomes a packet that the namespace receives. The first message, empty of packets, says `ready`.
 * The namespace goes when this process ends, and this process ends when the other end of the socket is closed.
 *
 * In C since Rust cannot ask for a device without `unsafe`.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define PACKET_MAX 2048

static void need(int result, const char *what) {
    if (result < 0) {
        perror(what);
        exit(2);
    }
}

static struct ifreq request(const char *device) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    strncpy(request.ifr_name, device, IFNAMSIZ - 1);
    return request;
}

static void set_address(int control, unsigned long what, const char *address) {
    struct ifreq change = request("tun0");
    struct sockaddr_in *place = (struct sockaddr_in *)&change.ifr_addr;
    place->sin_family = AF_INET;
    inet_pton(AF_INET, address, &place->sin_addr);
    need(ioctl(control, what, &change), "address");
}

static void set_up(int control, const char *device) {
    struct ifreq change = request(device);
    need(ioctl(control, SIOCGIFFLAGS, &change), "flags");
    change.ifr_flags |= IFF_UP | IFF_RUNNING;
    need(ioctl(control, SIOCSIFFLAGS, &change), "up");
}

/* The device, with its address and a route to the peer. */
static int open_device(const char *own, const char *peer) {
    int device = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
    need(device, "/dev/net/tun");
    struct ifreq wanted = request("tun0");
    wanted.ifr_flags = IFF_TUN | IFF_NO_PI;
    need(ioctl(device, TUNSETIFF, &wanted), "TUNSETIFF");
    int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    need(control, "socket");
    set_address(control, SIOCSIFADDR, own);
    set_address(control, SIOCSIFDSTADDR, peer);
    set_address(control, SIOCSIFNETMASK, "255.255.255.255");
    set_up(control, "lo");
    set_up(control, "tun0");
    close(control);
    return device;
}

int main(int count, char **words) {
    char packet[PACKET_MAX];
    if (count != 3) {
        return 2;
    }
    need(unshare(CLONE_NEWNET), "unshare");
    int device = open_device(words[1], words[2]);
    need((int)send(0, "ready", 5, 0), "socket");
    struct pollfd ends[2] = {{.fd = device, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
    for (;;) {
        need(poll(ends, 2, -1), "poll");
        if (ends[0].revents != 0) {
            ssize_t length = read(device, packet, sizeof packet);
            if (0 < length && send(0, packet, (size_t)length, MSG_NOSIGNAL) < 0) {
                return 0;
            }
        }
        if (ends[1].revents != 0) {
            ssize_t length = recv(0, packet, sizeof packet, 0);
            if (length <= 0) {
                return 0;
            }
            /* A packet that the kernel does not take is lost: such is the network. */
            (void)!write(device, packet, (size_t)length);
        }
    }
}
