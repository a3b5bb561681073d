namespace QuickSilver.Hosting;

/// <summary>Handles the messages of a group, one at a time, in the order of each sender. Called on pool threads, once
/// the services of the host have started. May wait: messages are stored meanwhile, up to the limits of the
/// inbox.</summary>
public interface IMessageHandler
{
    /// <summary>Handles a message. An exception is logged and counted;
    /// <see cref="GroupOptions.HandlerErrors"/> says what follows.</summary>
    /// <param name="message">A copy that the handler may keep.</param>
    /// <param name="cancellationToken">Cancelled when the time of the host's shutdown is up. Until then the messages
    /// that are stored are handled.</param>
    ValueTask HandleAsync(Message message, CancellationToken cancellationToken);
}
