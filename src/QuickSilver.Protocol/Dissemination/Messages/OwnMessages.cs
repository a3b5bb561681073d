using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Dissemination.Messages;

/// <summary>
/// What the messages of one node share on their way out: records and memory, the writer of their sources, and the batch
/// that is about to be delivered here. Core thread only.
/// </summary>
internal sealed class OwnMessages
{
    private readonly Arena _copies;
    private readonly Arena _written;

    public OwnMessages(SendContext context)
    {
        Context = context;
        _copies = new Arena(context.Pool, BufferOwner.Pending);
        _written = new Arena(context.Pool, BufferOwner.Pending);
        Writer = new MessageWriter(_written);
        Batch = new OwnBatch(context);
    }

    /// <summary>The node's shared state.</summary>
    public SendContext Context { get; }

    /// <summary>Records of messages.</summary>
    public MessagePool Records { get; } = new();

    /// <summary>The writer that sources are given.</summary>
    public MessageWriter Writer { get; }

    /// <summary>Own messages that are about to be delivered here.</summary>
    public OwnBatch Batch { get; }

    /// <summary>Copies an own message that no packet holds in one piece; the copy has one reference.</summary>
    public Slice Copy(ReadOnlySpan<byte> bytes) => _copies.Copy(bytes);

    /// <summary>Releases the memory.</summary>
    public void Close()
    {
        _copies.Close();
        _written.Close();
    }
}
