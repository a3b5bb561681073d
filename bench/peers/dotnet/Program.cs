using QuickSilver.Bench.Roles;
using QuickSilver.Peers.DotNet;

// Adapters for systems that a .NET team would pick: netpeers SYSTEM sender|receiver ..., led as bench/peers/README.md
// says.
if (args is ["mqtt-broker", { } address, { } port, { } tuned])
    return await MqttBroker.RunAsync(address, port, tuned == "1");
RoleChannel role = RoleChannel.Open();
bool isTuned = args is [.., "--tuned", "1"];
try
{
    await using IPubSub system = args[0] switch
    {
        "nats" => new NatsPubSub(isTuned),
        "nats-tls" => new NatsPubSub(isTuned, isTls: true),
        "netmq" => new NetMqPubSub(isTuned),
        "redis" => new RedisPubSub(),
        "mqtt" => new MqttPubSub(isTuned),
        "akka" => new AkkaPubSub(),
        "orleans" => new OrleansPubSub(),
        _ => throw new ArgumentException($"{args[0]} is no system"),
    };
    await system.OpenAsync(role.Order);
    bool isSender = role.Order.Role == RoleKind.Sender;
    await (isSender ? PeerSender.RunAsync(role, system) : PeerReceiver.RunAsync(role, system));
    return 0;
}
catch (Exception failure)
{
    role.TellFailure(failure.ToString());
    return 1;
}
