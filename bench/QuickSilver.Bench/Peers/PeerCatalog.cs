using System.Globalization;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Tcp;

namespace QuickSilver.Bench.Peers;

/// <summary>Every system that can be measured, each in its defaults and, where its guide says how, tuned. Sources:
/// bench/peers/README.md.</summary>
internal static class PeerCatalog
{
    // The adapter of all systems that are .NET libraries.
    private const string DotNet = "netpeers";

    private static readonly PeerPromise Group = new(
        "repaired by the sender", "per sender", "others wait until it is suspected", "nothing");
    private static readonly PeerPromise Sequenced = new(
        "repaired by the sequencer", "one for all senders", "others wait until it is suspected", "nothing");
    private static readonly PeerPromise Dds = new(
        "repaired by the sender", "per writer", "others wait for its lease", "nothing");
    private static readonly PeerPromise Dropping =
        new("TCP; dropped when a queue is full", "per connection", "loses what it had not read", "nothing");
    private static readonly PeerPromise Naks = new(
        "NAKs while the sender has it", "per sender", "others go on", "nothing");
    private static readonly PeerPromise Broker = new(
        "at most once; the slow are cut off", "per publisher", "loses what it had not read", "a broker");

    private static readonly PeerPromise Mqtt = new(
        "at most once; dropped when the server's queue is full", "per publisher", "loses what it had not read",
        "a broker");

    private static readonly PeerPromise Actors = new(
        "at most once; no back-pressure", "per publisher", "others go on", "a mediator in each process");

    private static readonly PeerPromise Streams = new(
        "retried while the silo lives", "per stream", "retried, then given up", "grains in the sender's process");

    /// <summary>All, in the order of tables.</summary>
    public static IReadOnlyList<Peer> All { get; } =
    [
        new QuickSilverPeer("quicksilver", sharesMemory: true),
        new QuickSilverPeer("quicksilver-udp", sharesMemory: false),
        new QuickSilverPeer("quicksilver", sharesMemory: true, RunSecurity.Key),
        new QuickSilverPeer("quicksilver-udp", sharesMemory: false, RunSecurity.Key),
        new QuickSilverPeer("quicksilver-agreed", sharesMemory: true, level: OrderedLevel.Agreed),
        new QuickSilverPeer("quicksilver-safe", sharesMemory: true, level: OrderedLevel.Safe),
        new RawPeer("raw", hasTrains: false, isPacked: false),
        new RawPeer("raw-trains", hasTrains: true, isPacked: false),
        new RawPeer("raw-packed", hasTrains: true, isPacked: true),
        new TcpPeer("tcp", TcpStyle.Pipelines, isInline: false),
        new TcpPeer("tcp-inline", TcpStyle.Pipelines, isInline: true),
        new TcpPeer("tcp-blocking", TcpStyle.Blocking, isInline: false),
        new TcpPeer("tls-inline", TcpStyle.Pipelines, isInline: true, isTls: true),
        new TcpPeer("tls-blocking", TcpStyle.Blocking, isInline: false, isTls: true),
        JGroups("jgroups", isTuned: false),
        JGroups("jgroups-tuned", isTuned: true),
        JGroups("jgroups-sequencer", isTuned: false, stack: "sequencer.xml"),
        JGroups("jgroups-sequencer-tuned", isTuned: true, stack: "sequencer.xml"),
        new NativePeer("cyclonedds", Dds) { Adapter = "cyclone" },
        new NativePeer("cyclonedds-tuned", Dds) { Adapter = "cyclone", IsTuned = true },
        new NativePeer("cyclonedds-tuned-secured", Dds)
        {
            Adapter = "cyclone-secured", IsTuned = true,
            AdapterEnvironment = static build => new Dictionary<string, string>
            {
                ["PEER_DDS_SECURITY"] = build.PathOf("dds-security"),
                ["PEER_DDS_PLUGINS"] = build.PathOf(Path.Combine("dds-security", "plugins")),
            },
        },
        new NativePeer("zeromq", Dropping) { Adapter = "zeromq" },
        new NativePeer("zeromq-tuned", Dropping) { Adapter = "zeromq", IsTuned = true },
        new NativePeer("epgm", Naks) { Adapter = "epgm" },
        new NativePeer("epgm-tuned", Naks) { Adapter = "epgm", IsTuned = true },
        new NativePeer("norm", Naks) { Adapter = "norm" },
        new NativePeer("norm-tuned", Naks) { Adapter = "norm", IsTuned = true },
        Nats("nats"),
        Redis("redis"),
        RabbitMq(
            "rabbitmq",
            new PeerPromise(
                "gone if the broker refuses it", "per queue", "its queue is lost, others go on", "a broker"),
            isTuned: false),
        RabbitMq(
            "rabbitmq-tuned",
            new PeerPromise(
                "known to the sender (confirmed)", "per queue", "its queue is lost, others go on", "a broker"),
            isTuned: true),
        NatsNet("nats-net", isTuned: false),
        NatsNet("nats-net-tuned", isTuned: true),
        NatsNet("nats-net-tuned-tls", isTuned: true, isTls: true),
        new NativePeer("redis-net", Broker)
        {
            Adapter = "redis-net", Program = DotNet, Runner = ["dotnet"], Words = ["redis"], HasTopics = true,
            BrokerCommand = RedisServer,
        },
        NetMq("netmq", isTuned: false),
        NetMq("netmq-tuned", isTuned: true),
        MqttNet("mqttnet", isTuned: false),
        MqttNet("mqttnet-tuned", isTuned: true),
        new NativePeer("akka", Actors)
        {
            Adapter = "akka", Program = DotNet, Runner = ["dotnet"], Words = ["akka"], HasTopics = true,
        },
        new NativePeer("orleans", Streams)
        {
            Adapter = "orleans", Program = DotNet, Runner = ["dotnet"], Words = ["orleans"], HasTopics = true,
        },
    ];

    private static NativePeer NatsNet(string name, bool isTuned, bool isTls = false) => new(name, Broker)
    {
        Adapter = "nats-net",
        Program = DotNet,
        IsTuned = isTuned,
        Runner = ["dotnet"],
        Words = [isTls ? "nats-tls" : "nats"],
        HasTopics = true,
        BrokerCommand = isTls ? NatsTlsServer : NatsServer,
    };

    private static NativePeer NetMq(string name, bool isTuned) => new(name, Dropping)
    {
        Adapter = "netmq",
        Program = DotNet,
        IsTuned = isTuned,
        Runner = ["dotnet"],
        Words = ["netmq"],
        HasTopics = true,
    };

    private static NativePeer MqttNet(string name, bool isTuned) => new(name, Mqtt)
    {
        Adapter = "mqttnet",
        Program = DotNet,
        IsTuned = isTuned,
        Runner = ["dotnet"],
        Words = ["mqtt"],
        HasTopics = true,
        BrokerCommand = place => ChildProcess.CommandOf(
            place.Adapter, "mqtt-broker", place.Address, Text(place.Port), isTuned ? "1" : "0"),
    };

    private static NativePeer JGroups(string name, bool isTuned, string? stack = null) =>
        new(name, stack is null ? Group : Sequenced)
        {
            Adapter = "jgroups",
            IsTuned = isTuned,
            Runner =
            [
                "java", "-Djava.net.preferIPv4Stack=true", $"-Dpeer.stack={stack ?? "udp.xml"}",
                "-cp", "{build}/jgroups:/usr/share/java/jgroups.jar:/usr/share/java/commons-logging.jar",
            ],
            Words = ["JGroupsPeer"],
        };

    private static NativePeer Nats(string name) => new(name, Broker)
    {
        Adapter = "nats",
        BrokerCommand = NatsServer,
    };

    private static NativePeer Redis(string name) => new(name, Broker)
    {
        Adapter = "redis",
        BrokerCommand = RedisServer,
    };

    private static IReadOnlyList<string> NatsServer(BrokerPlace place) =>
        ["nats-server", "-a", place.Address, "-p", Text(place.Port)];

    private static IReadOnlyList<string> NatsTlsServer(BrokerPlace place)
    {
        string certificate = Path.Combine(place.Folder, "certificate.pem"), key = Path.Combine(place.Folder, "key.pem");
        using X509Certificate2 made = TcpConnection.MakeCertificate();
        using ECDsa secret = made.GetECDsaPrivateKey()!;
        File.WriteAllText(certificate, made.ExportCertificatePem());
        File.WriteAllText(key, secret.ExportPkcs8PrivateKeyPem());
        return [.. NatsServer(place), "--tls", "--tlscert", certificate, "--tlskey", key];
    }

    private static IReadOnlyList<string> RedisServer(BrokerPlace place) =>
    [
        "redis-server", "--bind", place.Address, "--port", Text(place.Port), "--dir", place.Folder,
        "--save", "", "--appendonly", "no", "--protected-mode", "no",
    ];

    private static NativePeer RabbitMq(string name, PeerPromise promise, bool isTuned) => new(name, promise)
    {
        Adapter = "rabbitmq",
        IsTuned = isTuned,
        Runner = ["dotnet"],
        BrokerCommand = _ => ["/usr/lib/rabbitmq/bin/rabbitmq-server"],
        BrokerEnvironment = place => new Dictionary<string, string>
        {
            ["HOME"] = place.Folder,
            ["RABBITMQ_NODENAME"] = "quicksilver@localhost",
            ["RABBITMQ_NODE_IP_ADDRESS"] = place.Address,
            ["RABBITMQ_NODE_PORT"] = Text(place.Port),
            ["RABBITMQ_DIST_PORT"] = Text(place.Port + 20),
            ["RABBITMQ_MNESIA_BASE"] = place.Folder,
            ["RABBITMQ_LOG_BASE"] = place.Folder,
            ["RABBITMQ_LOGS"] = "-",
            ["RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"] = "-rabbit loopback_users []",
            ["RABBITMQ_ENABLED_PLUGINS_FILE"] = Path.Combine(place.Folder, "plugins"),
            ["RABBITMQ_CONFIG_FILE"] = Path.Combine(place.Folder, "none"),
            ["ERL_EPMD_PORT"] = Text(place.Port + 21),
            ["ERL_EPMD_RELAXED_COMMAND_CHECK"] = "1",
        },
    };

    private static string Text(int value) => value.ToString(CultureInfo.InvariantCulture);
}
