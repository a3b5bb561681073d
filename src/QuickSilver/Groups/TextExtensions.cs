using System.Buffers;
using System.Text;

namespace QuickSilver;

/// <summary>Sends and reads messages as UTF-8 text.</summary>
public static class TextExtensions
{
    private const int StackBytes = 512;

    /// <summary>Sends a text as <see cref="MessageSender.SendAsync(ReadOnlySpan{byte}, CancellationToken)"/>, with its
    /// exceptions. Allocates nothing in steady state.</summary>
    public static ValueTask SendAsync(
        this MessageSender group, string text, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(group);
        ArgumentNullException.ThrowIfNull(text);
        int limit = Encoding.UTF8.GetMaxByteCount(text.Length);
        if (limit <= StackBytes)
        {
            Span<byte> bytes = stackalloc byte[StackBytes];
            return group.SendAsync((ReadOnlySpan<byte>)bytes[..Encoding.UTF8.GetBytes(text, bytes)], cancellationToken);
        }
        byte[] rented = ArrayPool<byte>.Shared.Rent(Encoding.UTF8.GetByteCount(text));
        try
        {
            return group.SendAsync(
                (ReadOnlySpan<byte>)rented.AsSpan(0, Encoding.UTF8.GetBytes(text, rented)), cancellationToken);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    /// <summary>Sends a text and waits until every live member holds it, as
    /// <see cref="MessageSender.SendConfirmedAsync"/>, with its exceptions. Allocates the bytes of the text.</summary>
    public static Task<DeliveryReport> SendConfirmedAsync(
        this MessageSender group, string text, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(group);
        ArgumentNullException.ThrowIfNull(text);
        return group.SendConfirmedAsync(Encoding.UTF8.GetBytes(text), cancellationToken);
    }

    /// <summary>Sends a text if it can be admitted at once. See
    /// <see cref="MessageSender.TrySend(ReadOnlySpan{byte})"/>.</summary>
    public static SendStatus TrySend(this MessageSender group, string text)
    {
        ArgumentNullException.ThrowIfNull(group);
        ArgumentNullException.ThrowIfNull(text);
        int limit = Encoding.UTF8.GetMaxByteCount(text.Length);
        if (limit <= StackBytes)
        {
            Span<byte> bytes = stackalloc byte[StackBytes];
            return group.TrySend(bytes[..Encoding.UTF8.GetBytes(text, bytes)]);
        }
        byte[] rented = ArrayPool<byte>.Shared.Rent(Encoding.UTF8.GetByteCount(text));
        try
        {
            return group.TrySend(rented.AsSpan(0, Encoding.UTF8.GetBytes(text, rented)));
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    /// <summary>Decodes the payload as UTF-8; invalid bytes become U+FFFD. Allocates the text.</summary>
    public static string GetString(this Message message)
    {
        ArgumentNullException.ThrowIfNull(message);
        return Encoding.UTF8.GetString(message.Payload.Span);
    }

    /// <summary>Decodes the payload as UTF-8; invalid bytes become U+FFFD. Allocates the text.</summary>
    /// <exception cref="ObjectDisposedException">The lease has been disposed of.</exception>
    public static string GetString(this MessageLease message) => Encoding.UTF8.GetString(message.Payload.Span);

    /// <summary>Decodes the payload as UTF-8; invalid bytes become U+FFFD. Allocates the text.</summary>
    public static string GetString(this in MessageRef message) => Encoding.UTF8.GetString(message.Payload);
}
