/*
 * Cyclone DDS: one topic, reliable, everything kept. Its queue holds the writer up (for ten seconds at most a call), so there is no window of this
 * adapter's own.
 * Tuned, by the manual's chapters on configuration and performance: writer-history watermark of 4 MB, messages of 65,500 bytes and fragments that fill them on
 * loopback, socket buffers of 4 MB, and batches of writes (dds_set_write_batch's present form), flushed when nothing is due.
 * Secured, when PEER_DDS_SECURITY names the folder that bench/peers/dds-security made: contents are encrypted, AES-256-GCM by its own plugin.
 */
#include "peer.h"

#include "message.h"
#include <dds/dds.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 256 };

static dds_entity_t endpoint, waitset;
static struct peer_system cyclone;

static const char *NETWORK =
    "<General><AllowMulticast>true</AllowMulticast><Interfaces><NetworkInterface address=\"%s\" multicast=\"true\"/></Interfaces>%s</General>";

static const char *TUNED_GENERAL = "<MaxMessageSize>65500B</MaxMessageSize><FragmentSize>65000B</FragmentSize>";
static const char *TUNED_INTERNAL =
    "<Internal><SocketReceiveBufferSize min=\"4MB\"/><Watermarks><WhcHigh>4MB</WhcHigh></Watermarks></Internal>";

static const char *SECURITY =
    "<Security><Authentication>"
    "<Library initFunction=\"init_authentication\" finalizeFunction=\"finalize_authentication\" path=\"%1$s/libdds_security_auth.so\"/>"
    "<IdentityCA>file:%2$s/ca.pem</IdentityCA><IdentityCertificate>file:%2$s/peer.pem</IdentityCertificate><PrivateKey>file:%2$s/peer.key</PrivateKey>"
    "</Authentication><AccessControl>"
    "<Library initFunction=\"init_access_control\" finalizeFunction=\"finalize_access_control\" path=\"%1$s/libdds_security_ac.so\"/>"
    "<PermissionsCA>file:%2$s/ca.pem</PermissionsCA><Governance>file:%2$s/governance.p7s</Governance><Permissions>file:%2$s/permissions.p7s</Permissions>"
    "</AccessControl><Cryptographic>"
    "<Library initFunction=\"init_crypto\" finalizeFunction=\"finalize_crypto\" path=\"%1$s/libdds_security_crypto.so\"/>"
    "</Cryptographic></Security>";

static void check(dds_return_t outcome, const char *what) {
    if (outcome < 0) peer_fail("%s: %s", what, dds_strretcode(-outcome));
}

static void open_domain(void) {
    char general[512], security[4000] = "", config[6000];
    bool is_local = !strcmp(order.address, "127.0.0.1");
    snprintf(general, sizeof general, NETWORK, order.address, order.tuned && is_local ? TUNED_GENERAL : "");
    const char *documents = getenv("PEER_DDS_SECURITY"), *plugins = getenv("PEER_DDS_PLUGINS");
    if (documents && plugins) snprintf(security, sizeof security, SECURITY, plugins, documents);
    snprintf(config, sizeof config, "<CycloneDDS><Domain Id=\"any\">%s%s%s</Domain></CycloneDDS>", general, order.tuned ? TUNED_INTERNAL : "", security);
    dds_entity_t domain = dds_create_domain(0, config);
    check(domain, "dds_create_domain");
    if (order.tuned && order.is_sender) dds_write_set_batch(true);
    dds_entity_t participant = dds_create_participant(0, NULL, NULL);
    check(participant, "dds_create_participant");
    dds_qos_t *qos = dds_create_qos();
    dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(10));
    dds_qset_history(qos, DDS_HISTORY_KEEP_ALL, 0);
    dds_entity_t topic = dds_create_topic(participant, &PeerMessage_desc, "quicksilver", qos, NULL);
    check(topic, "dds_create_topic");
    endpoint = order.is_sender ? dds_create_writer(participant, topic, qos, NULL) : dds_create_reader(participant, topic, qos, NULL);
    check(endpoint, "the endpoint");
    if (order.is_sender) return;
    check(dds_set_status_mask(endpoint, DDS_DATA_AVAILABLE_STATUS), "dds_set_status_mask");
    waitset = dds_create_waitset(participant);
    check(dds_waitset_attach(waitset, endpoint, 0), "dds_waitset_attach");
}

static void send_message(const char *message, int size) {
    PeerMessage sample = { .payload = { ._maximum = size, ._length = size, ._buffer = (uint8_t *)message, ._release = false } };
    check(dds_write(endpoint, &sample), "dds_write");
}

static void flush(void) {
    if (order.tuned) dds_write_flush(endpoint);
}

static void receive(int milliseconds) {
    static void *samples[MOST_SAMPLES];
    static dds_sample_info_t infos[MOST_SAMPLES];
    dds_attach_t trigger;
    int count = dds_take(endpoint, samples, infos, MOST_SAMPLES, MOST_SAMPLES);
    if (count <= 0) {
        dds_waitset_wait(waitset, &trigger, 1, DDS_MSECS(milliseconds));
        return;
    }
    for (int i = 0; i < count; i++)
        if (infos[i].valid_data) peer_receive((const char *)((PeerMessage *)samples[i])->payload._buffer, ((PeerMessage *)samples[i])->payload._length);
    dds_return_loan(endpoint, samples, count);
}

static struct peer_system cyclone = { .open = open_domain, .send = send_message, .flush = flush, .receive = receive, .feedback_timeout_ms = 1000 };

int main(int argc, char **argv) { peer_run(argc, argv, &cyclone); }
