/*
 * ZeroMQ publish and subscribe: over TCP, or (built with -DEPGM) over its reliable multicast, PGM in UDP.
 * Defaults: queues of 1000 messages, beyond which a publisher drops; so the sender keeps within a window. epgm sends at 100 kb/s.
 * Tuned, by zmq_setsockopt(3): queues of 100,000 and ZMQ_XPUB_NODROP, so that a full queue holds the sender up; for epgm, whose queue may not hold it up,
 * ZMQ_RATE 1 Gb/s, ZMQ_RECOVERY_IVL 1 s (at that rate), socket buffers of 4 MiB.
 */
#include "peer.h"

#include <errno.h>
#include <stdio.h>
#include <zmq.h>

enum { DEFAULT_QUEUE = 1000, TUNED_QUEUE = 100000, BUFFER = 4 << 20 };

static void *endpoint;
static struct peer_system zeromq;

static void set(int option, int value) {
    if (zmq_setsockopt(endpoint, option, &value, sizeof value) < 0) peer_fail("zmq_setsockopt %d: %s", option, zmq_strerror(zmq_errno()));
}

static void open_socket(void) {
    char address[128];
    void *context = zmq_ctx_new();
    endpoint = zmq_socket(context, order.is_sender ? ZMQ_XPUB : ZMQ_SUB);
    if (order.tuned) {
        set(ZMQ_SNDHWM, TUNED_QUEUE);
        set(ZMQ_RCVHWM, TUNED_QUEUE);
    }
#ifdef EPGM
    if (order.tuned) {
        set(ZMQ_RATE, 1000000);
        set(ZMQ_RECOVERY_IVL, 1000);
        set(ZMQ_SNDBUF, BUFFER);
        set(ZMQ_RCVBUF, BUFFER);
    }
    /* At 100 kb/s even a few messages take seconds. Tuned, a quarter of the queue, as below. */
    zeromq.window = !order.tuned ? 32 : BUFFER / order.size < TUNED_QUEUE / 4 ? BUFFER / order.size : TUNED_QUEUE / 4;
    snprintf(address, sizeof address, "epgm://%s;%s:%d", order.address, order.group, order.port);
    int outcome = order.is_sender ? zmq_bind(endpoint, address) : zmq_connect(endpoint, address);
#else
    if (order.tuned && order.is_sender) set(ZMQ_XPUB_NODROP, 1);
    /* The far end of a queue says what it has taken only when that is half of it, and the publisher hears that within a millisecond, not at once. */
    zeromq.window = order.tuned ? 0 : DEFAULT_QUEUE / 4;
    snprintf(address, sizeof address, "tcp://%s:%d", order.server, order.port);
    int outcome = order.is_sender ? zmq_bind(endpoint, address) : zmq_connect(endpoint, address);
#endif
    if (outcome < 0) peer_fail("%s: %s", address, zmq_strerror(zmq_errno()));
    if (!order.is_sender) zmq_setsockopt(endpoint, ZMQ_SUBSCRIBE, "", 0);
}

static void send_message(const char *message, int size) {
    while (zmq_send(endpoint, message, size, 0) < 0)
        if (zmq_errno() != EINTR && zmq_errno() != EAGAIN) peer_fail("zmq_send: %s", zmq_strerror(zmq_errno()));
}

static void flush(void) {}

static void receive(int milliseconds) {
    zmq_pollitem_t item = { .socket = endpoint, .events = ZMQ_POLLIN };
    if (zmq_poll(&item, 1, milliseconds) <= 0) return;
    static char buffer[1 << 16];
    /* Many at a time: what its own performance tests do. */
    for (int size, i = 0; i < 256 && (size = zmq_recv(endpoint, buffer, sizeof buffer, ZMQ_DONTWAIT)) >= 0; i++) peer_receive(buffer, size);
}

static struct peer_system zeromq = { .open = open_socket, .send = send_message, .flush = flush, .receive = receive, .feedback_timeout_ms = 1000 };

int main(int argc, char **argv) { peer_run(argc, argv, &zeromq); }
