using System.Buffers;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace QuickSilver.Typed;

/// <summary>Serializes by System.Text.Json, with metadata that its source generator has made: no reflection, fit for
/// native compilation. Costs no allocation beyond that of the values.</summary>
/// <typeparam name="T">Type of the values.</typeparam>
/// <param name="type">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
public sealed class JsonPayloadSerializer<T>(JsonTypeInfo<T> type) : IPayloadSerializer<T>
{
    [ThreadStatic]
    private static Utf8JsonWriter? _free;

    private readonly JsonTypeInfo<T> _type = type ?? throw new ArgumentNullException(nameof(type));

    /// <inheritdoc/>
    public void Serialize(T value, IBufferWriter<byte> writer)
    {
        // A converter that sends uses a writer of its own.
        Utf8JsonWriter json = _free ?? new Utf8JsonWriter(writer);
        _free = null;
        json.Reset(writer);
        JsonSerializer.Serialize(json, value, _type);
        json.Flush();
        _free = json;
    }

    /// <inheritdoc/>
    /// <exception cref="JsonException">The bytes are no such JSON, or are "null".</exception>
    public T Deserialize(ReadOnlyMemory<byte> payload) =>
        JsonSerializer.Deserialize(payload.Span, _type) ?? throw new JsonException("The message is null.");
}
