using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Packing;

/// <summary>
/// How long the packets of one stream may be, and how many make a train. O(members) when a way or the members change.
/// </summary>
internal sealed class PacketSizes
{
    private readonly SendContext _context;
    private readonly RegionView _view;

    public PacketSizes(SendContext context, RegionView view)
    {
        _context = context;
        _view = view;
        Fit();
    }

    /// <summary>The longest datagram that is packed now: it reaches all members, as far as is known.</summary>
    public int Slot { get; private set; }

    /// <summary>The most datagrams in one of the stream's trains.</summary>
    public int TrainDatagrams { get; private set; }

    /// <summary>Takes a length that reaches all live members of the view from now on.</summary>
    public void Fit()
    {
        TransportFacts facts = _context.Transport.Facts;
        Slot = _context.Paths.LongestTo(_view, _context.SelfKey, facts.SlotBytes);
        int limit = Slot < facts.SlotBytes && facts.TrainDatagrams > 1 ? Train.MaxDatagrams : facts.TrainDatagrams;
        int sealing = _context.Settings.IsSealed ? SealedHeader.MostAdded : 0;
        int fitting = Train.MaxBytes / (Slot + sealing);
        TrainDatagrams = Math.Clamp(Math.Min(limit, fitting), 1, Train.MaxDatagrams);
    }
}
