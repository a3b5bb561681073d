using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// How far this node has come with each sender of one group during one stay there. Opened and closed by the <see cref="Deliverer"/>; what it knows
/// ends with the stay. Core thread only.
/// </summary>
public sealed class GroupReceiver
{
    /// <summary>With more senders than this, places are found by a dictionary: up to it, a walk is faster and smaller.</summary>
    private const int WalkedPlaces = 6;

    private readonly List<SenderCursor> _places = [];
    private Dictionary<ulong, SenderCursor>? _byKey;
    private SenderCursor? _last;

    internal GroupReceiver(GroupInfo info, StepNumber stayBegan, IDeliveryListener listener)
    {
        Info = info;
        StayBegan = stayBegan;
        Listener = listener;
    }

    /// <summary>Id, name and mode.</summary>
    public GroupInfo Info { get; }

    /// <summary>The step with which the stay began. Messages of earlier steps are not for this stay.</summary>
    public StepNumber StayBegan { get; }

    /// <summary>False once the stay has ended.</summary>
    public bool IsOpen { get; internal set; } = true;

    /// <summary>Takes the messages of the stay.</summary>
    internal IDeliveryListener Listener { get; }

    /// <summary>Senders that a message of this stay has come from, in order of appearance.</summary>
    internal List<SenderCursor> Places => _places;

    /// <summary>Index in the deliverer's list of groups.</summary>
    internal int Index { get; set; }

    /// <summary>The place of a sender; made when there is none.</summary>
    internal SenderCursor PlaceOf(NodeInfo sender)
    {
        SenderCursor? last = _last;
        if (last is not null && last.Key == sender.Number.Key) return last;
        return _last = Find(sender) ?? Add(sender);
    }

    /// <summary>The place of a sender; null when there is none. O(1).</summary>
    internal SenderCursor? Find(NodeInfo sender)
    {
        ulong key = sender.Number.Key;
        if (_byKey is not null) return _byKey.GetValueOrDefault(key);
        foreach (SenderCursor place in _places)
        {
            if (place.Key == key) return place;
        }
        return null;
    }

    /// <summary>Forgets a sender.</summary>
    internal void Remove(SenderCursor place)
    {
        _places.Remove(place);
        _byKey?.Remove(place.Key);
        if (ReferenceEquals(_last, place)) _last = null;
    }

    private SenderCursor Add(NodeInfo sender)
    {
        var place = new SenderCursor(this, sender);
        _places.Add(place);
        if (_byKey is null && _places.Count > WalkedPlaces)
        {
            _byKey = new Dictionary<ulong, SenderCursor>(2 * WalkedPlaces);
            foreach (SenderCursor known in _places) _byKey.Add(known.Key, known);
        }
        else
        {
            _byKey?.Add(place.Key, place);
        }
        return place;
    }
}
