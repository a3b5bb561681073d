using Akka.Actor;
using Akka.Cluster.Tools.PublishSubscribe;
using Akka.Configuration;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Peers.DotNet;

/// <summary>Akka.NET's distributed publish and subscribe: all processes are a cluster, the sender its seed; a topic for
/// each group. What the mediators tell each other of a thousand topics fits into a frame by a smaller delta.</summary>
internal sealed class AkkaPubSub : IPubSub
{
    private ActorSystem _system = null!;
    private IActorRef _mediator = null!;
    private string[] _topics = [];

    /// <inheritdoc/>
    public int Window => 4096;

    /// <inheritdoc/>
    public bool KeepsPayload => true;

    /// <inheritdoc/>
    public Task OpenAsync(RoleOrder order)
    {
        _topics = [.. Enumerable.Range(0, order.Groups).Select(IPubSub.TopicOf)];
        int port = order.Role == RoleKind.Sender ? order.TcpPort : 0;
        _system = ActorSystem.Create("peers", ConfigurationFactory.ParseString($$"""
            akka.loglevel = ERROR
            akka.actor.provider = cluster
            akka.remote.dot-netty.tcp.hostname = "{{order.Address}}"
            akka.remote.dot-netty.tcp.port = {{port}}
            akka.cluster.seed-nodes = ["akka.tcp://peers@{{order.ServerAddress}}:{{order.TcpPort}}"]
            akka.cluster.pub-sub.max-delta-elements = 300
            akka.cluster.pub-sub.send-to-dead-letters-when-no-subscribers = off
            """).WithFallback(DistributedPubSub.DefaultConfig()));
        _mediator = DistributedPubSub.Get(_system).Mediator;
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public async Task SubscribeAsync(RoleOrder order, Action<ReadOnlySpan<byte>> onMessage)
    {
        string[] topics = [.. _topics, IPubSub.TopicOf(IPubSub.Probe)];
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _system.ActorOf(Props.Create(() => new Reader(_mediator, topics, onMessage, done)));
        await done.Task;
    }

    /// <inheritdoc/>
    public ValueTask PublishAsync(int group, byte[] payload)
    {
        _mediator.Tell(new Publish(group < 0 ? IPubSub.TopicOf(group) : _topics[group], payload));
        return default;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync() => await _system.Terminate();

    private sealed class Reader : ReceiveActor
    {
        public Reader(
            IActorRef mediator, string[] topics, Action<ReadOnlySpan<byte>> onMessage, TaskCompletionSource done)
        {
            int subscribed = 0;
            Receive<byte[]>(payload => onMessage(payload));
            Receive<SubscribeAck>(_ =>
            {
                if (++subscribed == topics.Length) done.TrySetResult();
            });
            foreach (string topic in topics) mediator.Tell(new Subscribe(topic, Self));
        }
    }
}
