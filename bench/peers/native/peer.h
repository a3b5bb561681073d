/*
 * What all adapters written in C have in common: the order from the command line, the talk with the scenario over standard input and output,
 * the messages to send and the counting of those received. It does what QuickSilver.Bench does in C# (Traffic/, Roles/), message for
 * message, so that one table can hold all systems. See bench/peers/README.md for the contract.
 */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The order. */
struct peer_order {
    bool is_sender;
    const char *name;
    int number;             /* of this receiver, from 0 */
    int receivers;
    int size;               /* bytes of a message */
    double warmup, seconds;
    double rate;            /* messages a second; 0: full speed */
    const char *address;    /* of this process's interface */
    const char *server;     /* of the broker, else of the sender */
    int port;
    const char *group;      /* multicast address */
    bool tuned;
};

/* What a system has to bring. A sender's send() may keep the message back until flush(), which is called when no other is due yet. */
struct peer_system {
    void (*open)(void);
    void (*send)(const char *message, int size);
    void (*flush)(void);
    /* Receives what is there and hands it to peer_receive(); waits at most so many milliseconds when nothing is. */
    void (*receive)(int milliseconds);
    /*
     * Messages that the sender may be ahead of the slowest receiver, by its own feedback (a small UDP datagram, eight in a window): for systems
     * that drop or cut off instead of holding a sender up. 0: the system has flow control of its own.
     */
    int window;
    /* After so long without any feedback the window is taken as free. */
    int feedback_timeout_ms;
};

extern struct peer_order order;

/* Runs the order to its end; does not return. */
void peer_run(int argc, char **argv, const struct peer_system *system);

/* One message has come, whole. */
void peer_receive(const char *message, int size);

/* CLOCK_MONOTONIC in nanoseconds. */
int64_t peer_now(void);

/* Says what is wrong and ends the process. */
void peer_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* A blocking TCP connection to the server, tried again for a while; no delay. */
int peer_connect(void);

/* Writes all of it to a blocking socket. */
void peer_write(int socket, const char *bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
