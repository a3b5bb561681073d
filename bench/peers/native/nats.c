/*
 * NATS, by its text protocol. The server cuts a subscriber off that has 64 MB waiting; the sender keeps within a window far below that. Messages are gathered into
 * writes of 64 KiB while there is backlog, as the server's own clients do with their flusher.
 */
#define _GNU_SOURCE
#include "peer.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { WINDOW_BYTES = 8 << 20, BATCH = 64 << 10, READ = 256 << 10 };

static struct peer_system nats;
static int connection;
static char out[2 * BATCH], in[READ];
static size_t out_length, in_length;

static void flush(void) {
    peer_write(connection, out, out_length);
    out_length = 0;
}

/* Takes whole items from the front of what was read; says how much it took. */
static size_t walk(void) {
    size_t at = 0;
    while (true) {
        char *line = in + at, *end = memmem(line, in_length - at, "\r\n", 2);
        if (!end) return at;
        size_t after = end + 2 - in;
        if (!memcmp(line, "MSG ", 4)) {
            char *space = memrchr(line, ' ', end - line);
            int size = atoi(space + 1);
            if (in_length < after + size + 2) return at;
            peer_receive(in + after, size);
            after += size + 2;
        } else if (!memcmp(line, "PING", 4)) {
            peer_write(connection, "PONG\r\n", 6);
        } else if (!memcmp(line, "-ERR", 4)) {
            peer_fail("%.*s", (int)(end - line), line);
        }
        at = after;
    }
}

static void receive(int milliseconds) {
    struct pollfd wait = { .fd = connection, .events = POLLIN };
    if (poll(&wait, 1, milliseconds) <= 0) return;
    ssize_t length = recv(connection, in + in_length, sizeof in - in_length, MSG_DONTWAIT);
    if (length == 0) peer_fail("the server has cut this client off");
    if (length < 0) return;
    in_length += length;
    size_t taken = walk();
    memmove(in, in + taken, in_length -= taken);
}

static void open_connection(void) {
    nats.window = WINDOW_BYTES / order.size;
    connection = peer_connect();
    const char *hello = "CONNECT {\"verbose\":false,\"pedantic\":false,\"echo\":false}\r\n";
    peer_write(connection, hello, strlen(hello));
    if (!order.is_sender) peer_write(connection, "SUB q 1\r\n", 9);
}

static void send_message(const char *message, int size) {
    out_length += sprintf(out + out_length, "PUB q %d\r\n", size);
    memcpy(out + out_length, message, size);
    memcpy(out + out_length + size, "\r\n", 2);
    out_length += size + 2;
    if (out_length < BATCH - (size_t)size) return;
    flush();
    receive(0);
}

static struct peer_system nats = { .open = open_connection, .send = send_message, .flush = flush, .receive = receive, .feedback_timeout_ms = 1000 };

int main(int argc, char **argv) {
    peer_run(argc, argv, &nats);
}
