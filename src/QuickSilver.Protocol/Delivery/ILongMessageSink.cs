using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Delivery;

/// <summary>Takes the content of one long message. Core thread only; must not throw.</summary>
internal interface ILongMessageSink
{
    /// <summary>The next bytes, at least one; valid during the call.</summary>
    /// <returns>False: nothing more is wanted of this message, and <see cref="OnEnded"/> is not called.</returns>
    bool OnBytes(in Slice bytes);

    /// <summary>Nothing follows: called once.</summary>
    void OnEnded(LongMessageEnd end);
}
