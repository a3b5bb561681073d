using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <summary>Sends values to a group of a hosted node, across evictions; otherwise as <see cref="IQuickSilverSender"/>.
/// Any thread.</summary>
/// <typeparam name="T">Type of the values.</typeparam>
public interface IQuickSilverSender<T>
{
    /// <summary>Name of the group.</summary>
    string Name { get; }

    /// <summary>The newest view, as <see cref="IQuickSilverSender.View"/>.</summary>
    GroupView View { get; }

    /// <summary>Sends a value as <see cref="IQuickSilverSender.SendAsync"/>, with its exceptions.</summary>
    /// <param name="value">The value.</param>
    /// <param name="headers">The headers; null for none.</param>
    /// <param name="cancellationToken">Cancels the wait; the value is then not sent.</param>
    /// <exception cref="PayloadSerializationException">The serializer threw; nothing was sent.</exception>
    ValueTask SendAsync(T value, MessageHeaders? headers = null, CancellationToken cancellationToken = default);

    /// <summary>Sends a value and waits until every live member holds it, as
    /// <see cref="IQuickSilverSender.SendConfirmedAsync"/>, with its exceptions.</summary>
    /// <param name="value">The value.</param>
    /// <param name="headers">The headers; null for none.</param>
    /// <param name="cancellationToken">Cancels the wait only.</param>
    /// <exception cref="PayloadSerializationException">The serializer threw; nothing was sent.</exception>
    Task<DeliveryReport> SendConfirmedAsync(
        T value, MessageHeaders? headers = null, CancellationToken cancellationToken = default);

    /// <summary>Waits until every live member holds all values that the present handle sent, as
    /// <see cref="IQuickSilverSender.FlushAsync"/>, with its exceptions.</summary>
    /// <param name="cancellationToken">Cancels the wait only.</param>
    Task FlushAsync(CancellationToken cancellationToken = default);
}
