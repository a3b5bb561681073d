using System.Buffers;

namespace QuickSilver;

/// <summary>
/// A source that QuickSilver asks for messages when they can be sent, in place of sends that queue. Each message is
/// written as late as possible, so it is as fresh as possible. All members are called on the core thread: they must be
/// short and must not block.
/// </summary>
public interface IMessageFeed
{
    /// <summary>
    /// Writes one message and returns true, to be asked again. Or returns false: the bytes written are discarded, and
    /// the feed is asked again after <see cref="FeedRegistration.Signal"/>. An exception counts as false and is handled
    /// according to <see cref="HandlerErrorPolicy"/>. The writer throws if the message exceeds
    /// <see cref="PendingOptions.MaxMessageBytes"/>.
    /// </summary>
    /// <param name="message">Receives the bytes, directly in pooled memory; valid during the call only.</param>
    bool TryWriteNext(IBufferWriter<byte> message);

    /// <summary>
    /// Writes a batch of consecutive messages of one length. For small messages this costs several times less than a
    /// call for each. Called before <see cref="TryWriteNext"/>, while the previous messages had that length. The
    /// default implementation writes none, so the feed is asked for single messages.
    /// </summary>
    /// <param name="room">Destination inside the packet, with room for at least one message: the first message in the
    /// first <paramref name="length"/> bytes, and so on. The initial contents are undefined. Valid during the call
    /// only.</param>
    /// <param name="length">Length of each message, at least 1.</param>
    /// <returns>Number of messages written. After 0, <see cref="TryWriteNext"/> is called. A negative number, or more
    /// than the room holds, is handled like an exception.</returns>
    int WriteBatch(Span<byte> room, int length) => 0;
}
