/*
 * NORM (RFC 5740): one stream object, every message marked as such. It repairs by NAKs and forward error correction.
 * Defaults: 64 kb/s, no congestion control, 8 parity segments a block of 64 computed when asked for (the values of the library's own examples, since the
 * call wants them). Tuned, by the developer's guide: a fixed rate (NormSetTxRate, congestion control off, as it advises where the network's capacity is
 * known), segments that fill the packet, socket buffers of 4 MiB, a group size that fits, a round trip to begin with of 1 ms.
 *
 * C++, because the library's header is.
 */
#include "peer.h"

#include <normApi.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SEGMENT = 1400, BLOCK = 64, PARITY = 8, BUFFER = 4 << 20, SPACE = 16 << 20, WINDOW_BYTES = 2 << 20, HEAD = 2 };

static NormInstanceHandle instance;
static NormSessionHandle session;
static NormObjectHandle stream = NORM_OBJECT_INVALID;
extern struct peer_system norm;

static void open_session(void) {
    instance = NormCreateInstance(false);
    session = NormCreateSession(instance, order.group, order.port, order.is_sender ? 1 : (NormNodeId)order.number + 2);
    if (session == NORM_SESSION_INVALID) peer_fail("NormCreateSession failed");
    /* By the name, not the address, of the interface. */
    NormSetMulticastInterface(session, strcmp(order.address, "127.0.0.1") ? "eth0" : "lo");
    NormSetMulticastLoopback(session, true);
    NormSetRxPortReuse(session, true, NULL, NULL, 0);
    if (order.tuned) {
        NormSetGrttEstimate(session, 0.001);
        NormSetGroupSize(session, order.receivers);
    }
    norm.window = order.tuned ? WINDOW_BYTES / order.size : 32;
    if (order.is_sender) {
        NormSetTxRate(session, order.tuned ? 1e9 : 64000);
        if (!NormStartSender(session, 1, SPACE, SEGMENT, BLOCK, PARITY)) peer_fail("NormStartSender failed");
        if (order.tuned) NormSetTxSocketBuffer(session, BUFFER);
        stream = NormStreamOpen(session, SPACE);
    } else {
        if (!NormStartReceiver(session, SPACE)) peer_fail("NormStartReceiver failed");
        if (order.tuned) NormSetRxSocketBuffer(session, BUFFER);
    }
}

static void wait_for_event(int milliseconds) {
    struct pollfd wait = { NormGetDescriptor(instance), POLLIN, 0 };
    if (poll(&wait, 1, milliseconds) <= 0) return;
    NormEvent event;
    if (!NormGetNextEvent(instance, &event, false)) return;
    if (order.is_sender) return;
    if (event.type == NORM_RX_OBJECT_NEW || event.type == NORM_RX_OBJECT_UPDATED) stream = event.object;
}

static void write_all(const char *bytes, unsigned length) {
    while (length > 0) {
        unsigned written = NormStreamWrite(stream, bytes, length);
        bytes += written;
        length -= written;
        if (length > 0) wait_for_event(100);
    }
}

static void send_message(const char *message, int size) {
    unsigned char head[HEAD] = { (unsigned char)(size & 255), (unsigned char)(size >> 8) };
    write_all((const char *)head, HEAD);
    write_all(message, size);
    NormStreamMarkEom(stream);
}

static void flush(void) { NormStreamFlush(stream, false, NORM_FLUSH_PASSIVE); }

static char buffer[1 << 17];
static unsigned held;
static bool is_synchronous;

static void receive(int milliseconds) {
    wait_for_event(milliseconds);
    if (stream == NORM_OBJECT_INVALID) return;
    while (true) {
        /* After a break, go on at the next message that begins. */
        if (!is_synchronous && !(is_synchronous = NormStreamSeekMsgStart(stream))) return;
        unsigned length = sizeof buffer - held;
        if (!NormStreamRead(stream, buffer + held, &length)) {
            is_synchronous = false;
            held = 0;
            continue;
        }
        if (length == 0) return;
        held += length;
        unsigned at = 0;
        while (held - at >= HEAD) {
            unsigned size = (unsigned char)buffer[at] | (unsigned char)buffer[at + 1] << 8;
            if (held - at < HEAD + size) break;
            peer_receive(buffer + at + HEAD, size);
            at += HEAD + size;
        }
        memmove(buffer, buffer + at, held -= at);
    }
}

struct peer_system norm = { open_session, send_message, flush, receive, 0, 1000 };

int main(int argc, char **argv) { peer_run(argc, argv, &norm); }
