using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>Messages of one byte each, of many groups in one order; those of a group that goes another way move to
/// another stub.</summary>
internal sealed class LaneSourceStub : ILaneSource
{
    private readonly SendWorld _world;
    private readonly List<LaneSourceStub> _all;
    private readonly List<(GroupSender Group, byte Text)> _messages = [];

    public LaneSourceStub(SendWorld world, List<LaneSourceStub>? all = null, bool isWaiting = false)
    {
        _world = world;
        _all = all ?? [];
        _all.Add(this);
        IsWaiting = isWaiting;
        Lane = world.Disseminator.OpenLane(this);
    }

    public SharedLane Lane { get; }

    public bool IsWaiting { get; }

    /// <summary>This stub and those that it has made.</summary>
    public IReadOnlyList<LaneSourceStub> All => _all;

    public int Waiting => _messages.Count;

    /// <summary>True when a group's messages pass those of other groups.</summary>
    public bool Gathers { get; init; }

    public void Add(GroupSender group, byte text) => _messages.Add((group, text));

    public void Signal() => Lane.Signal(_world.Now);

    public GroupSender? FindNext(Instant now) => _messages.Count > 0 ? _messages[0].Group : null;

    public bool HasAlike => _messages.Count > 1 && IndexOf(_messages[0].Group, 1) >= 0;

    public bool Write(GroupSender group, MessageWriter messages)
    {
        bool takesMore = true;
        while (takesMore && IndexOf(group, 0) is >= 0 and int index)
        {
            messages.GetSpan(1)[0] = _messages[index].Text;
            messages.Advance(1);
            _messages.RemoveAt(index);
            takesMore = messages.EndMessage();
        }
        return _messages.Count > 0;
    }

    public SharedLane? Divert(GroupSender group, SharedLane? other, bool waits, Instant now)
    {
        LaneSourceStub to = (LaneSourceStub?)other?.Source ?? new LaneSourceStub(_world, _all, waits);
        to._messages.AddRange(_messages.Where(message => message.Group == group));
        _messages.RemoveAll(message => message.Group == group);
        to.Signal();
        return to.Lane;
    }

    public void OnGateChanged(bool open, Instant now)
    {
        // The messages stay.
    }

    private int IndexOf(GroupSender group, int from)
    {
        int last = Gathers ? _messages.Count : Math.Min(from + 1, _messages.Count);
        return _messages[..last].FindIndex(from, message => message.Group == group);
    }
}
