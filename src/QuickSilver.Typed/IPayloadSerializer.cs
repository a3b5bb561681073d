using System.Buffers;

namespace QuickSilver.Typed;

/// <summary>Turns the values of a typed group into bytes and back. Any thread, several at once.</summary>
/// <typeparam name="T">Type of the values.</typeparam>
public interface IPayloadSerializer<T>
{
    /// <summary>Writes a value, straight into the memory that the message is sent from. An exception reaches the sender
    /// as a <see cref="PayloadSerializationException"/>, and nothing is sent.</summary>
    /// <param name="value">The value.</param>
    /// <param name="writer">Receives the bytes; valid during the call.</param>
    void Serialize(T value, IBufferWriter<byte> writer);

    /// <summary>Reads a value, straight out of the memory that the message has arrived in. An exception makes the
    /// message an <see cref="UndeserializedMessage"/>; reading goes on.</summary>
    /// <param name="payload">The bytes; valid during the call.</param>
    T Deserialize(ReadOnlyMemory<byte> payload);
}
