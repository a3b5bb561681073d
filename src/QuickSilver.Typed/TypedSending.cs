using System.Buffers;
using System.Diagnostics;

namespace QuickSilver.Typed;

/// <summary>Sends values through a handle: what <see cref="Group{T}"/> and <see cref="Publisher{T}"/> have in common.
/// Any thread.</summary>
/// <param name="raw">The handle.</param>
/// <param name="serializer">Turns values into bytes.</param>
/// <param name="options">Settings; null for the defaults.</param>
internal sealed class TypedSending<T>(MessageSender raw, IPayloadSerializer<T> serializer, TypedGroupOptions? options)
{
    private const int SizeHint = 512;

    private readonly int _sampleEvery = options?.LatencySampleEvery ?? 0;
    private int _unsampled;

    /// <summary>Whether messages carry the trace context of the sender.</summary>
    public bool Traces { get; } = options?.Tracing ?? false;

    /// <summary>Sends a value; it is serialized before the call returns.</summary>
    public ValueTask SendAsync(T value, MessageHeaders headers, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(headers);
        headers = Sampled(headers);
        if (Traces) return SendTracedAsync(value, headers, cancellationToken);
        try
        {
            return SendCore(value, headers, cancellationToken);
        }
        catch (PayloadSerializationException fault)
        {
            return ValueTask.FromException(fault);
        }
    }

    /// <summary>Sends a value and waits until every live member holds it.</summary>
    public async Task<DeliveryReport> SendConfirmedAsync(
        T value, MessageHeaders? headers, CancellationToken cancellationToken)
    {
        MessageHeaders all = Sampled(headers ?? MessageHeaders.None);
        using Activity? activity = Traces ? Tracing.StartSend(raw.Name) : null;
        if (Traces) all = Tracing.Inject(all, activity ?? Activity.Current);
        var bytes = new ArrayBufferWriter<byte>(SizeHint);
        try
        {
            Write(bytes, value, all);
            return await raw.SendConfirmedAsync(bytes.WrittenMemory, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            Tracing.Fail(activity, fault);
            throw;
        }
    }

    private MessageHeaders Sampled(MessageHeaders headers) =>
        _sampleEvery > 0 && Interlocked.Increment(ref _unsampled) % _sampleEvery == 0
            ? headers.With(LatencySamples.Stamp())
            : headers;

    private ValueTask SendCore(T value, MessageHeaders headers, CancellationToken cancellationToken) =>
        raw.SendAsync(
            SizeHint,
            new Outgoing(this, value, headers),
            static (writer, outgoing) => outgoing.Sending.Write(writer, outgoing.Value, outgoing.Headers),
            cancellationToken);

    private async ValueTask SendTracedAsync(T value, MessageHeaders headers, CancellationToken cancellationToken)
    {
        using Activity? activity = Tracing.StartSend(raw.Name);
        try
        {
            MessageHeaders all = Tracing.Inject(headers, activity ?? Activity.Current);
            await SendCore(value, all, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            Tracing.Fail(activity, fault);
            throw;
        }
    }

    private void Write(IBufferWriter<byte> writer, T value, MessageHeaders headers)
    {
        Envelope.Write(writer, headers);
        try
        {
            serializer.Serialize(value, writer);
        }
        catch (Exception fault) when (fault is not QuickSilverException)
        {
            throw new PayloadSerializationException(raw.Name, typeof(T), fault);
        }
    }

    private readonly record struct Outgoing(TypedSending<T> Sending, T Value, MessageHeaders Headers);
}
