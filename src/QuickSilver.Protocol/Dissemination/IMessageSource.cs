using System.Buffers;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>The application's end of the pull tree: asked for a message when one could be sent. Core thread only.</summary>
public interface IMessageSource
{
    /// <summary>Writes the next message and returns true, or returns false: then what was written is discarded and the source is asked again only
    /// after a signal.</summary>
    bool TryWriteNext(IBufferWriter<byte> message);
}
