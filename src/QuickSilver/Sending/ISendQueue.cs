namespace QuickSilver.Sending;

/// <summary>Destination of the requests that a <see cref="SendGate"/> admits: the queue of some groups to the
/// core.</summary>
internal interface ISendQueue
{
    /// <summary>Whether the group's messages enter here. Any thread.</summary>
    bool Serves(StagedGroup group);

    /// <summary>Passes a request to the core. Any thread; does not block.</summary>
    /// <returns>False if the group's messages do not enter here; the caller then keeps the request.</returns>
    bool TryEnqueue(StagedGroup group, object request);

    /// <summary>Releases the resources of a request that is not sent. Any thread.</summary>
    void Discard(object? request);

    /// <summary>Makes the core call <see cref="SendGate.AdvanceFromCore"/> in its next turn. Any thread.</summary>
    void RequestAdvance();
}
