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
}
