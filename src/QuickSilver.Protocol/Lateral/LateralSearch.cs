using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// What becomes of missing messages: they are left to repairs for a while. Then they are asked for at growing pauses,
/// of a node that named them in a repair and of their sender in turn, until the deadline. A pause is no shorter than
/// twice what answers have taken. What a removed sender left is looked for a while, then reported lost. O(missing
/// messages) a look. Core thread only.
/// </summary>
internal sealed class LateralSearch
{
    /// <summary>The least time that a packet found missing is left to repairs.</summary>
    public static readonly TimeSpan LeastWait = TimeSpan.FromMilliseconds(20);

    private const int Smoothing = 8;
    // The pause after the first request for a packet; it doubles with each.
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(10);
    // The longest pause between two requests for a packet.
    private static readonly TimeSpan LongestPause = TimeSpan.FromMilliseconds(500);

    private readonly LateralParts _parts;
    private readonly Alarm _alarm;
    private readonly List<Reception> _watched = [];
    private TimeSpan _answer;
    private bool _isClosed;

    public LateralSearch(LateralParts parts)
    {
        _parts = parts;
        _alarm = new Alarm(parts.Context.Alarms, OnDue);
    }

    /// <summary>Looks after the missing messages of a reception, and its end if its sender is gone.</summary>
    public void Watch(Reception reception, Instant now)
    {
        if (!reception.IsWatched)
        {
            reception.IsWatched = true;
            _watched.Add(reception);
        }
        _alarm.SetIfEarlier(now + LeastWait);
    }

    /// <summary>What a message begins with that is found missing now.</summary>
    /// <param name="now">The time.</param>
    /// <param name="holder">A node that has it; null: none is known.</param>
    /// <param name="wait">How long it is left to repairs.</param>
    public static MissingMessage NewMissing(Instant now, NodeInfo? holder, TimeSpan wait) =>
        new(0, now, now + wait, 0, Instant.Zero, holder);

    /// <summary>A message comes that may have been asked for: how long that took bounds the pauses of others.</summary>
    public void OnArrived(Reception reception, ulong number, Instant now)
    {
        int index = reception.Missing.Count == 0 ? -1 : reception.Missing.Find(number);
        if (index < 0 || reception.Missing[index].Tries == 0) return;
        TimeSpan took = now - reception.Missing[index].Asked;
        _answer = _answer == TimeSpan.Zero ? took : _answer + ((took - _answer) / Smoothing);
    }

    public void Close()
    {
        _isClosed = true;
        _alarm.Cancel();
        _watched.Clear();
    }

    private void OnDue(Instant now)
    {
        for (int index = _watched.Count - 1; index >= 0; index--)
        {
            Reception reception = _watched[index];
            Look(reception, now);
            if (_isClosed) return;
            bool isIdle = reception.Missing.Count == 0 && (!reception.IsOver || reception.IsClosed);
            if (!isIdle && reception.Session.IsOpen) continue;
            reception.IsWatched = false;
            _watched.RemoveAt(index);
        }
        if (_watched.Count > 0) _alarm.SetIfEarlier(now + (LeastWait / 2));
    }

    private void Look(Reception reception, Instant now)
    {
        Debug.Assert(reception.IsWatched, "it is watched");
        if (!reception.Session.IsOpen || reception.IsClosed) return;
        var group = (LateralGroup)reception.Session.State!;
        bool isOver = reception.IsOver && now >= reception.OverAt;
        for (int index = 0; index < reception.Missing.Count; index++)
        {
            MissingMessage missing = reception.Missing[index];
            if (isOver || now - missing.Found >= group.Settings.Deadline)
            {
                _parts.Delivering.GiveUp(reception, group, missing.Number, now);
                if (!reception.Session.IsOpen) return;
                index = -1;
                continue;
            }
            if (missing.Due > now) continue;
            Ask(reception, missing, group.Id);
            reception.Missing[index] = missing with
            {
                Due = now + Pause(missing.Tries),
                Tries = missing.Tries + 1,
                Asked = missing.Tries == 0 ? now : missing.Asked,
            };
        }
        if (!isOver) return;
        _parts.Delivering.DeliverHeld(reception, now);
        reception.IsClosed = true;
        reception.Session.CloseSender(reception.Sender, now);
    }

    // Nodes that are slow to answer are not asked for the same meanwhile: their answers would be slower still.
    private TimeSpan Pause(int tries)
    {
        TimeSpan pause = FirstPause * (1 << Math.Min(tries, 6));
        if (pause < 2 * _answer) pause = 2 * _answer;
        return pause < LongestPause ? pause : LongestPause;
    }

    // Of who named it, and of its sender, in turn; of any member, if both are out of reach.
    private void Ask(Reception reception, in MissingMessage missing, uint group)
    {
        NodeInfo? holder = missing.Holder is { IsRemoved: false } known ? known : null;
        NodeInfo? sender = reception.Sender.IsRemoved ? null : reception.Sender;
        NodeInfo? target = missing.Tries % 2 == 0 ? holder ?? sender : sender ?? holder;
        if (missing.Tries > 3 || target is null) target = AnyMember(group) ?? target;
        if (target is null) return;
        Assembly? assembly = reception.FindAssembly(missing.Number);
        var id = new LateralId(reception.Sender.Number.Key, group, missing.Number, 0);
        if (assembly is null)
        {
            _parts.Asking.Ask(target, id);
            return;
        }
        int asked = 0;
        for (uint fragment = 1; fragment <= assembly.Count && asked < LateralIdList.MaxIds; fragment++)
        {
            if (assembly.Has(fragment)) continue;
            asked++;
            _parts.Asking.Ask(target, id with { Fragment = fragment });
        }
    }

    private NodeInfo? AnyMember(uint group)
    {
        NodeInfo? chosen = null;
        ulong seen = 0;
        IReadOnlyList<RegionView> views = _parts.Context.Cluster.Views;
        for (int at = 0; at < views.Count; at++)
        {
            RegionView view = views[at];
            for (int index = 0; index < view.Members.Length; index++)
            {
                NodeInfo member = view.Members[index];
                if (member.IsRemoved || member.Number.Key == _parts.Context.SelfKey) continue;
                if (view.GroupsOf(index).Counters.BinarySearch(group) < 0) continue;
                if (_parts.Context.Random.NextBelow(++seen) == 0) chosen = member;
            }
        }
        return chosen;
    }
}
