namespace QuickSilver.Hosting;

/// <summary>Handles the messages of a group on the core thread, from the join on. It must be short and must not block:
/// the whole node waits for it. Costs no copy and no allocation.</summary>
public interface IInlineMessageHandler
{
    /// <summary>Handles a message. An exception is logged and counted;
    /// <see cref="GroupOptions.HandlerErrors"/> says what follows.</summary>
    /// <param name="message">The message; valid during the call.</param>
    void Handle(in MessageRef message);
}
