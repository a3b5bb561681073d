namespace QuickSilver.Sending;

/// <summary>Where a <see cref="SendGate"/> puts what it admits: a group's way to the core.</summary>
internal interface ISendQueue
{
    /// <summary>Hands a request to the core. Any thread; never waits.</summary>
    /// <returns>False when the core takes nothing more: the request is still the caller's.</returns>
    bool TryEnqueue(object request);

    /// <summary>Gives back what a request holds. Any thread.</summary>
    void Discard(object? request);

    /// <summary>Has <see cref="SendGate.AdvanceFromCore"/> called in the core's next turn. Any thread.</summary>
    void RequestAdvance();
}
