using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// The piece of a stream that the root is being given, train by train, and its memory. The root may use the last train
/// until it asks again. So the memory is kept until then, even when it has become stable meanwhile. One piece at a
/// time; the one before is released first. Core thread only.
/// </summary>
internal sealed class TrainInHand(StreamCarrier carrier, DisseminationCounters counters)
{
    private Slice _bytes;
    private uint _messages;
    private bool _isBeacon;

    /// <summary>True when no memory is kept.</summary>
    public bool IsEmpty => _bytes.IsEmpty;

    /// <summary>Takes a train of packets, with one reference to it, and how many messages it carries.</summary>
    public void Hold(Slice bytes, int segment, uint messages) => Start(bytes, segment, messages, isBeacon: false);

    /// <summary>Takes a beacon, with one reference to it.</summary>
    /// <param name="bytes">The beacon.</param>
    /// <param name="alsoTo">Index of a member that gets it by unicast too; -1: none.</param>
    public void HoldBeacon(Slice bytes, int alsoTo = -1) =>
        Start(bytes, bytes.Length, messages: 0, isBeacon: true, alsoTo);

    /// <summary>Makes the next train of the piece, and counts it; false when the root was given all of it.</summary>
    public bool TryNext(out Train train)
    {
        if (!carrier.TryNext(out train)) return false;
        counters.DatagramBytes += (ulong)train.Length;
        if (_isBeacon)
        {
            counters.Beacons++;
            return true;
        }
        counters.DataDatagrams += (ulong)train.Count;
        counters.MessageCopies += _messages;
        return true;
    }

    /// <summary>Stops giving the piece to the root; trains in use stay in memory.</summary>
    public void Stop() => carrier.Stop();

    /// <summary>Releases the memory: the root has asked again, or never will.</summary>
    public void Release()
    {
        _bytes.Release();
        _bytes = default;
    }

    private void Start(Slice bytes, int segment, uint messages, bool isBeacon, int alsoTo = -1)
    {
        System.Diagnostics.Debug.Assert(_bytes.IsEmpty, "the train before was released");
        _bytes = bytes;
        _messages = messages;
        _isBeacon = isBeacon;
        carrier.Start(bytes, segment, alsoTo);
    }
}
