namespace QuickSilver.Bench.Roles;

/// <summary>By which part of the API a sender sends.</summary>
internal enum SendStyle
{
    /// <summary><see cref="MessageSender.SendAsync(ReadOnlyMemory{byte}, CancellationToken)"/>, awaited one by
    /// one.</summary>
    Async,

    /// <summary><see cref="MessageSender.TrySend(ReadOnlySpan{byte})"/>, waiting when the gate is shut.</summary>
    Try,

    /// <summary><see cref="IMessageFeed"/>: the node's own thread asks for the next message when it can send
    /// it.</summary>
    Feed,
}
