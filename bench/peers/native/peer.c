#define _GNU_SOURCE
#include "peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { WARM_UP, MEASURED, COOL_DOWN };
enum { PROBE = -1, FEEDBACKS = 8, SAMPLE_EVERY = 16, SUB_BUCKETS = 32, BUCKETS = 64 * SUB_BUCKETS, CONNECT_SECONDS = 45, LAST_SECONDS = 10 };
#define NANOS 1000000000LL

/* The head of every message: QuickSilver.Bench's MeasuredHeader. Little endian, like every machine this runs on. */
struct head {
    int32_t group;
    int32_t phase;
    int64_t index;
    int64_t ticks;
};

struct feedback {
    int32_t number;
    int32_t unused;
    int64_t index;
};

struct peer_order order;

static const struct peer_system *peer;
static struct sockaddr_in feedback_at;
static int feedback_socket = -1;
static atomic_bool may_go;
static atomic_llong total = -1;
static int phase;
static double cpu_begin = -1, cpu_end = -1;

/* Sender. */
static int64_t start, sent, measured_sent, stalls, slowest = -1;
static int64_t seen[1024];

/* Receiver. */
static int64_t delivered, measured, last, out_of_order, damaged, first_ticks, last_ticks;
static bool was_probed;

static int64_t histogram[BUCKETS], histogram_count, histogram_max;

int64_t peer_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NANOS + now.tv_nsec;
}

void peer_fail(const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *c = text; *c; c++) if (*c == '"' || *c == '\\' || *c < ' ') *c = '\'';
    printf("{\"kind\":\"failed\",\"failure\":\"%s\"}\n", text);
    fflush(stdout);
    _exit(1);
}

int peer_connect(void) {
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(order.port) };
    inet_pton(AF_INET, order.server, &to.sin_addr);
    for (int64_t limit = peer_now() + CONNECT_SECONDS * NANOS; peer_now() < limit; usleep(50000)) {
        int connection = socket(AF_INET, SOCK_STREAM, 0), on = 1;
        if (connect(connection, (struct sockaddr *)&to, sizeof to) == 0) {
            setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            return connection;
        }
        close(connection);
    }
    peer_fail("nobody listens at %s:%d", order.server, order.port);
}

void peer_write(int socket, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = send(socket, bytes, length, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) peer_fail("the connection broke: %s", strerror(errno));
        bytes += written;
        length -= written;
    }
}

/* ---- histogram: 32 steps an octave, so 3 % at worst ---- */

static int bucket_of(int64_t value) {
    if (value < SUB_BUCKETS) return value < 0 ? 0 : (int)value;
    int octave = 63 - __builtin_clzll(value) - 5;
    return octave * SUB_BUCKETS + (int)(value >> octave);
}

static int64_t value_of(int bucket) {
    if (bucket < 2 * SUB_BUCKETS) return bucket;
    int octave = bucket / SUB_BUCKETS - 1;
    return (int64_t)(bucket % SUB_BUCKETS + SUB_BUCKETS) << octave;
}

static void record(int64_t nanos) {
    histogram[bucket_of(nanos)]++;
    histogram_count++;
    if (nanos > histogram_max) histogram_max = nanos;
}

static double quantile(double share) {
    int64_t left = (int64_t)(share * histogram_count);
    for (int i = 0; i < BUCKETS; i++) if ((left -= histogram[i]) < 0) return value_of(i) / 1000.0;
    return histogram_max / 1000.0;
}

/* ---- parts of a run ---- */

static double cpu_now(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void enter(int next) {
    phase = next;
    if (next == MEASURED) cpu_begin = cpu_now();
    else if (cpu_end < 0) cpu_end = cpu_now();
}

static void report(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    if (cpu_end < 0) cpu_end = cpu_now();
    double duration = (last_ticks - first_ticks) / 1e9;
    double rate = order.is_sender ? measured_sent / order.seconds : measured > 1 && duration > 0 ? (measured - 1) / duration : 0;
    long long lost = order.is_sender ? 0 : total - (delivered - out_of_order - damaged);
    printf("{\"kind\":\"result\",\"result\":{\"process\":\"%s\",\"role\":\"%s\",\"sent\":%lld,\"delivered\":%lld,\"lost\":%lld,\"outOfOrder\":%lld,"
        "\"damaged\":%lld,\"measured\":%lld,\"measuredSeconds\":%.6f,\"rate\":%.3f,\"cpuSeconds\":%.6f,\"peakMemoryBytes\":%lld,\"stalls\":%lld",
        order.name, order.is_sender ? "Sender" : "Receiver", (long long)sent, (long long)delivered, lost < 0 ? 0 : lost, (long long)out_of_order,
        (long long)damaged, (long long)(order.is_sender ? measured_sent : measured), order.is_sender ? order.seconds : duration, rate,
        cpu_begin < 0 ? 0 : cpu_end - cpu_begin, usage.ru_maxrss * 1024LL, (long long)stalls);
    if (histogram_count > 0)
        printf(",\"%s\":{\"count\":%lld,\"p50\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f}", order.is_sender ? "lateness" : "latency",
            (long long)histogram_count, quantile(0.5), quantile(0.99), quantile(0.999), histogram_max / 1000.0);
    printf("}}\n");
    fflush(stdout);
}

/* The scenario's words: lines of JSON, of which the first repeats the order. When they end, so does this. */
static void *listen_to_scenario(void *unused) {
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) >= 0) {
        char *count = strstr(line, "\"total\":");
        if (strstr(line, "\"kind\":\"go\"")) may_go = true;
        else if (strstr(line, "\"kind\":\"total\"") && count) total = atoll(count + 8);
    }
    _exit(0);
    return unused;
}

static void say_ready(void) {
    printf("{\"kind\":\"ready\"}\n");
    fflush(stdout);
}

/* ---- sender ---- */

static void read_feedback(int milliseconds) {
    struct pollfd wait = { .fd = feedback_socket, .events = POLLIN };
    if (milliseconds > 0 && poll(&wait, 1, milliseconds) <= 0) return;
    struct feedback told;
    while (recv(feedback_socket, &told, sizeof told, MSG_DONTWAIT) == sizeof told)
        if (told.number >= 0 && told.number < order.receivers && told.index > seen[told.number]) seen[told.number] = told.index;
    int64_t least = INT64_MAX;
    for (int i = 0; i < order.receivers; i++) if (seen[i] < least) least = seen[i];
    if (least > slowest) slowest = least;
}

static void wait_for_window(void) {
    if (peer->window == 0 || order.rate > 0 || sent - slowest < peer->window) return;
    peer->flush();
    for (int64_t before = slowest, since = peer_now(); sent - slowest >= peer->window;) {
        read_feedback(20);
        if (slowest != before) {
            before = slowest;
            since = peer_now();
        } else if (peer_now() - since > peer->feedback_timeout_ms * 1000000LL) {
            stalls++;
            slowest = sent;
        }
    }
}

static int phase_at(int64_t ticks) {
    double seconds = (ticks - start) / 1e9;
    if (seconds < order.warmup) return WARM_UP;
    if (seconds < order.warmup + order.seconds) return MEASURED;
    return seconds < order.warmup + order.seconds + 0.1 ? COOL_DOWN : -1;
}

static int64_t due(int64_t index) { return start + (int64_t)(index * (1e9 / order.rate)); }

static int64_t wait_until(int64_t ticks) {
    int64_t now;
    while ((now = peer_now()) < ticks) {
        struct timespec until = { ticks / NANOS, ticks % NANOS };
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
    return now;
}

/* The next message, when it is due; false when the run is over. Message n is due at start + n / rate whatever held up those before it. */
static bool next(char *message) {
    int64_t now = peer_now(), ticks = now;
    /* Held up over the whole measured part, by a queue that was long and a network that is slow: it begins now. */
    if (order.rate == 0 && phase == WARM_UP && phase_at(now) != WARM_UP && phase_at(now) != MEASURED) start = now - (int64_t)(order.warmup * 1e9);
    /* A system that cannot keep the rate does not hold the run up for ever. */
    if (phase_at(now - 2 * NANOS) < 0) return false;
    if (order.rate > 0) {
        ticks = due(sent);
        if (phase_at(ticks) < 0) return false;
        now = wait_until(ticks);
    }
    int part = phase_at(ticks);
    if (part < 0) return false;
    if (part != phase) enter(part);
    if (part == MEASURED) {
        measured_sent++;
        if (order.rate > 0) record(now - ticks);
    }
    struct head head = { 0, part, ++sent, ticks };
    memcpy(message, &head, sizeof head);
    return true;
}

static void run_sender(void) {
    char *message = calloc(1, order.size);
    feedback_socket = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(feedback_socket, (struct sockaddr *)&feedback_at, sizeof feedback_at) < 0) peer_fail("feedback port: %s", strerror(errno));
    for (int i = 0; i < order.receivers; i++) seen[i] = -1;
    peer->open();
    /* Everybody has to have joined, whatever that means to the system: messages that do not count, until all have seen one. */
    struct head probe = { PROBE, 0, 0, 0 };
    memcpy(message, &probe, sizeof probe);
    while (slowest < 0) {
        peer->send(message, order.size);
        peer->flush();
        read_feedback(50);
    }
    say_ready();
    while (!may_go) usleep(1000);

    prctl(PR_SET_TIMERSLACK, 1);
    start = peer_now();
    while (next(message)) {
        peer->send(message, order.size);
        if (order.rate > 0 && due(sent) > peer_now()) peer->flush();
        wait_for_window();
    }
    peer->flush();
    report();
    while (true) pause();
}

/* ---- receiver ---- */

static void tell_feedback(int64_t index) {
    struct feedback told = { order.number, 0, index };
    sendto(feedback_socket, &told, sizeof told, MSG_DONTWAIT, (struct sockaddr *)&feedback_at, sizeof feedback_at);
}

void peer_receive(const char *message, int size) {
    struct head head;
    if (size != order.size) {
        delivered++;
        damaged++;
        return;
    }
    memcpy(&head, message, sizeof head);
    if (head.group == PROBE) {
        was_probed = true;
        tell_feedback(0);
        return;
    }
    delivered++;
    if (head.phase > phase) enter(head.phase);
    if (head.phase == MEASURED) {
        last_ticks = peer_now();
        if (measured++ == 0) first_ticks = last_ticks;
        if (order.rate > 0 || measured % SAMPLE_EVERY == 0) record(last_ticks - head.ticks);
    }
    if (head.index <= last) {
        out_of_order++;
        return;
    }
    int every = peer->window / FEEDBACKS;
    if (every > 0 && head.index / every != last / every) tell_feedback(head.index);
    last = head.index;
}

static void run_receiver(void) {
    feedback_socket = socket(AF_INET, SOCK_DGRAM, 0);
    peer->open();
    while (!was_probed) peer->receive(20);
    say_ready();
    /* To the last message; or until nothing has come for a second; or for some seconds after the sender has finished. */
    for (int64_t before = -1, since = 0, ended = 0; total < 0 || (delivered < total && peer_now() - since < NANOS && peer_now() - ended < LAST_SECONDS * NANOS);) {
        peer->receive(20);
        if (total >= 0 && ended == 0) ended = since = peer_now();
        if (delivered == before) continue;
        before = delivered;
        since = peer_now();
    }
    report();
    while (true) pause();
}

void peer_run(int argc, char **argv, const struct peer_system *system) {
    const char *feedback_address = "127.0.0.1";
    int feedback_port = 0;
    peer = system;
    if (argc < 2) peer_fail("usage: %s sender|receiver --OPTION VALUE ...", argv[0]);
    order.is_sender = strcmp(argv[1], "sender") == 0;
    for (int i = 2; i + 1 < argc; i += 2) {
        const char *option = argv[i], *value = argv[i + 1];
        if (!strcmp(option, "--name")) order.name = value;
        else if (!strcmp(option, "--number")) order.number = atoi(value);
        else if (!strcmp(option, "--receivers")) order.receivers = atoi(value);
        else if (!strcmp(option, "--size")) order.size = atoi(value);
        else if (!strcmp(option, "--warmup")) order.warmup = atof(value);
        else if (!strcmp(option, "--seconds")) order.seconds = atof(value);
        else if (!strcmp(option, "--rate")) order.rate = atof(value);
        else if (!strcmp(option, "--address")) order.address = value;
        else if (!strcmp(option, "--server")) order.server = value;
        else if (!strcmp(option, "--port")) order.port = atoi(value);
        else if (!strcmp(option, "--group")) order.group = value;
        else if (!strcmp(option, "--feedback-address")) feedback_address = value;
        else if (!strcmp(option, "--feedback-port")) feedback_port = atoi(value);
        else if (!strcmp(option, "--tuned")) order.tuned = atoi(value) != 0;
    }
    if (order.size < (int)sizeof(struct head)) peer_fail("a message is shorter than its head");
    if (order.receivers < 1 || order.receivers > 1024) peer_fail("receivers: 1 to 1024");
    feedback_at.sin_family = AF_INET;
    feedback_at.sin_port = htons(feedback_port);
    inet_pton(AF_INET, feedback_address, &feedback_at.sin_addr);
    pthread_t listener;
    pthread_create(&listener, NULL, listen_to_scenario, NULL);
    if (order.is_sender) run_sender();
    run_receiver();
}
