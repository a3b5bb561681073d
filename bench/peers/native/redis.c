/*
 * Redis publish and subscribe, by its text protocol, pipelined. The server cuts a subscriber off that has 32 MB waiting, or 8 MB for a minute; the sender keeps
 * within a window far below that.
 */
#define _GNU_SOURCE
#include "peer.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { WINDOW_BYTES = 8 << 20, BATCH = 64 << 10, READ = 256 << 10, PARTS = 3 };

static struct peer_system redis;
static int connection;
static char out[2 * BATCH], in[READ];
static size_t out_length, in_length;

/* The end of a line that begins at some place, after its CR LF; 0 when it is not all there. */
static size_t line_end(size_t at) {
    char *end = memmem(in + at, in_length - at, "\r\n", 2);
    return end ? (size_t)(end + 2 - in) : 0;
}

/* A push is an array of three strings, the last of which is the message; anything else is one line. */
static size_t walk(void) {
    size_t at = 0;
    while (true) {
        size_t next = line_end(at), begin = 0;
        int size = 0;
        if (next == 0) return at;
        if (in[at] == '-') peer_fail("%.*s", (int)(next - at - 2), in + at);
        if (in[at] != '*') {
            at = next;
            continue;
        }
        bool is_message = true;
        for (int part = 0; part < PARTS; part++) {
            bool is_string = next < in_length && in[next] == '$';
            size_t after = next < in_length ? line_end(next) : 0;
            if (after == 0) return at;
            size = is_string ? atoi(in + next + 1) : 0;
            begin = after;
            next = is_string ? after + size + 2 : after;
            if (next > in_length) return at;
            is_message &= is_string;
        }
        if (is_message) peer_receive(in + begin, size);
        at = next;
    }
}

static void read_some(void) {
    ssize_t length = recv(connection, in + in_length, sizeof in - in_length, MSG_DONTWAIT);
    if (length == 0) peer_fail("the server has cut this client off");
    if (length < 0) return;
    in_length += length;
    size_t taken = walk();
    memmove(in, in + taken, in_length -= taken);
}

static void receive(int milliseconds) {
    struct pollfd wait = { .fd = connection, .events = POLLIN };
    if (poll(&wait, 1, milliseconds) > 0) read_some();
}

/* The server answers every publication; it must be read, or it stops reading. */
static void flush(void) {
    for (size_t at = 0; at < out_length;) {
        struct pollfd wait = { .fd = connection, .events = POLLIN | POLLOUT };
        poll(&wait, 1, -1);
        if (wait.revents & POLLIN) read_some();
        if (!(wait.revents & POLLOUT)) continue;
        ssize_t length = send(connection, out + at, out_length - at, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (length < 0 && errno != EAGAIN) peer_fail("the connection broke: %s", strerror(errno));
        if (length > 0) at += length;
    }
    out_length = 0;
}

static void open_connection(void) {
    redis.window = WINDOW_BYTES / order.size;
    connection = peer_connect();
    if (!order.is_sender) peer_write(connection, "*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nq\r\n", 26);
}

static void send_message(const char *message, int size) {
    out_length += sprintf(out + out_length, "*3\r\n$7\r\nPUBLISH\r\n$1\r\nq\r\n$%d\r\n", size);
    memcpy(out + out_length, message, size);
    memcpy(out + out_length + size, "\r\n", 2);
    out_length += size + 2;
    if (out_length >= BATCH - (size_t)size) flush();
}

static struct peer_system redis = { .open = open_connection, .send = send_message, .flush = flush, .receive = receive, .feedback_timeout_ms = 1000 };

int main(int argc, char **argv) {
    peer_run(argc, argv, &redis);
}
