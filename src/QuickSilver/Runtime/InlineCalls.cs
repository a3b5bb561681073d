namespace QuickSilver.Runtime;

/// <summary>Where the inline handlers of a handle stand in a run of messages: which call is next.</summary>
/// <param name="handlers">Those that are to be called for the first message.</param>
internal struct InlineCalls(InlineRegistration[] handlers)
{
    /// <summary>Those that are to be called for the message.</summary>
    public InlineRegistration[] Handlers = handlers;

    /// <summary>The message in the run, from 0.</summary>
    public int Message;

    /// <summary>The handler that is to be called next.</summary>
    public int Handler;

    /// <summary>Calls made so far.</summary>
    public int Made;
}
