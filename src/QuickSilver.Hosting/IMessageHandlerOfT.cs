using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <summary>Handles the values of a typed group; otherwise as <see cref="IMessageHandler"/>.</summary>
/// <typeparam name="T">Type of the values.</typeparam>
public interface IMessageHandler<T>
{
    /// <summary>Handles a value. An exception is logged and counted;
    /// <see cref="GroupOptions.HandlerErrors"/> says what follows.</summary>
    /// <param name="message">The value and what is known of its message; the handler may keep it.</param>
    /// <param name="cancellationToken">Cancelled when the time of the host's shutdown is up.</param>
    ValueTask HandleAsync(TypedMessage<T> message, CancellationToken cancellationToken);
}
