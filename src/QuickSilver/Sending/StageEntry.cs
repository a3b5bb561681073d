namespace QuickSilver.Sending;

/// <summary>One entry of a <see cref="SendStage"/>; valid until it is removed.</summary>
/// <param name="group">The group of the message; null for an object of no group.</param>
/// <param name="message">The message; empty for an object.</param>
/// <param name="request">The object; null for a message.</param>
internal readonly ref struct StageEntry(StagedGroup? group, ReadOnlySpan<byte> message, object? request)
{
    /// <summary>The group of the message; null for an object of no group.</summary>
    public StagedGroup? Group { get; } = group;

    /// <summary>The message; empty for an object.</summary>
    public ReadOnlySpan<byte> Message { get; } = message;

    /// <summary>The object; null for a message.</summary>
    public object? Request { get; } = request;
}
