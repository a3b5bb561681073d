namespace QuickSilver.Sending;

/// <summary>Destination of the requests that a <see cref="SendGate"/> admits: a group's queue to the core.</summary>
internal interface ISendQueue
{
    /// <summary>Passes a request to the core. Any thread; does not block.</summary>
    /// <returns>False if the queue is closed; the caller then keeps the request.</returns>
    bool TryEnqueue(object request);

    /// <summary>Releases the resources of a request that is not sent. Any thread.</summary>
    void Discard(object? request);

    /// <summary>Makes the core call <see cref="SendGate.AdvanceFromCore"/> in its next turn. Any thread.</summary>
    void RequestAdvance();
}
