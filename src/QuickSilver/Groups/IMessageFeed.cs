using System.Buffers;

namespace QuickSilver;

/// <summary>
/// A source that is asked for messages when they could be sent, instead of pushing them: what it writes is as fresh as can be, and nothing queues.
/// Called on the core thread: it must be short and must not block.
/// </summary>
public interface IMessageFeed
{
    /// <summary>Writes one message and returns true, to be asked again; or returns false, which discards what was written, and is asked again after
    /// <see cref="FeedRegistration.Signal"/>. What it throws counts as false, and is handled as <see cref="HandlerErrorPolicy"/> says; a message
    /// longer than <see cref="PendingOptions.MaxMessageBytes"/> makes the writer throw.</summary>
    /// <param name="message">Takes the bytes, straight into pooled memory; valid during the call.</param>
    bool TryWriteNext(IBufferWriter<byte> message);

    /// <summary>
    /// Writes messages of one length side by side, which for small ones costs several times less than a call for each. Asked while the messages before
    /// had that length, and each time before <see cref="TryWriteNext"/>; a feed that knows nothing of it is asked for one message after the other.
    /// </summary>
    /// <param name="room">Where they go, into the packet itself: the first <paramref name="length"/> bytes are the first message's, and so on. Holds
    /// at least one; valid during the call. What it contains is undefined.</param>
    /// <param name="length">Bytes of each message, at least 1.</param>
    /// <returns>How many were written, to be asked again; 0 when there is none of that length now: then <see cref="TryWriteNext"/> is asked. More than
    /// the room holds, or fewer than none, is handled as if it had thrown.</returns>
    int WriteRun(Span<byte> room, int length) => 0;
}
