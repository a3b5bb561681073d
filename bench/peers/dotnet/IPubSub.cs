using QuickSilver.Bench.Roles;

namespace QuickSilver.Peers.DotNet;

/// <summary>One system with topics, as its users call it. One sender, or one receiver, in a process.</summary>
internal interface IPubSub : IAsyncDisposable
{
    /// <summary>The probe that a sender publishes until every receiver has told that it hears.</summary>
    const int Probe = -1;

    /// <summary>Messages that may be on their way at full speed, beyond what the slowest receiver has.</summary>
    int Window { get; }

    /// <summary>Whether it keeps the array that it is given, so that each message needs one of its own.</summary>
    bool KeepsPayload { get; }

    /// <summary>Connects, as soon as what it connects to is up.</summary>
    Task OpenAsync(RoleOrder order);

    /// <summary>Subscribes to the topics of all groups and, last of all, to that of the probe.</summary>
    /// <param name="order">What the receiver was told.</param>
    /// <param name="onMessage">Told each message; any thread, several at once.</param>
    Task SubscribeAsync(RoleOrder order, Action<ReadOnlySpan<byte>> onMessage);

    /// <summary>Publishes.</summary>
    ValueTask PublishAsync(int group, byte[] payload);

    /// <summary>The name of a group's topic.</summary>
    static string TopicOf(int group) => group == Probe ? "probe" : $"g{group}";
}
