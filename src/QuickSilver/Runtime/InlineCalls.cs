namespace QuickSilver.Runtime;

/// <summary>The position of a handle's inline handlers within a batch: the next call to make.</summary>
/// <param name="handlers">The handlers of the first message.</param>
internal struct InlineCalls(InlineRegistration[] handlers)
{
    /// <summary>The handlers of the present message.</summary>
    public InlineRegistration[] Handlers = handlers;

    /// <summary>The index of the present message in the batch, from 0.</summary>
    public int Message;

    /// <summary>The index of the handler to call next.</summary>
    public int Handler;

    /// <summary>The number of calls made so far.</summary>
    public int Made;
}
