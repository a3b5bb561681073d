using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// Reports of a sender's last numbers, so that the loss of a last message is found: when a group has been silent for a
/// while, then four times more at growing pauses. One datagram serves many groups of a region. They have a budget of
/// their own; what does not fit waits, and a group that sends again needs no report meanwhile. Core thread only.
/// </summary>
internal sealed class LateralReports : IFeed
{
    private const int Times = 5;
    private const int Growth = 4;
    private const int DatagramsASecond = 200;
    // How long a group is silent before its last number is reported.
    private static readonly TimeSpan ReportAfter = TimeSpan.FromMilliseconds(100);
    // The longest pause between two reports of a silent sender.
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(10);

    private readonly LateralParts _parts;
    private readonly Alarm _alarm;
    private readonly List<LateralGroup> _silent = [];
    private readonly List<LateralGroup> _due = [];
    private readonly ViewCast _trains;
    private readonly byte[] _memory = new byte[16 * (DatagramHeader.Length + LateralSessionBody.MaxLength)];
    private TokenBucket? _budget;
    private int _viewAt;

    public LateralReports(LateralParts parts)
    {
        _parts = parts;
        _trains = new ViewCast(parts.Context);
        _alarm = new Alarm(parts.Context.Alarms, OnAlarm);
    }

    /// <summary>A group has sent: its reports begin again.</summary>
    public void OnSent(LateralGroup group, Instant now)
    {
        Debug.Assert(group.LastSent > 0, "something was sent");
        if (group.Reports >= Times) _silent.Add(group);
        group.Reports = 0;
        group.ReportDue = now + ReportAfter;
        if (!_alarm.IsSet) _alarm.Set(group.ReportDue);
    }

    /// <summary>A group has no session any more: it is not reported.</summary>
    public void Forget(LateralGroup group)
    {
        _silent.Remove(group);
        _due.Remove(group);
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        if (_trains.TryNext(out train)) return true;
        Build(now);
        return _trains.TryNext(out train);
    }

    /// <summary>The views have changed: what is under way is dropped, and reported again later.</summary>
    public void Detach()
    {
        _trains.Stop();
        _viewAt = 0;
        _parts.Context.Roots.DropKept(this);
        if (_due.Count > 0) _parts.Context.Roots.Register(this, PriorityClass.Data);
    }

    public void Close()
    {
        _alarm.Cancel();
        _silent.Clear();
        _due.Clear();
        Detach();
    }

    private void OnAlarm(Instant now)
    {
        Instant next = Instant.Never;
        for (int index = _silent.Count - 1; index >= 0; index--)
        {
            LateralGroup group = _silent[index];
            if (group.ReportDue <= now)
            {
                if (!_due.Contains(group)) _due.Add(group);
                group.Reports++;
                TimeSpan pause = ReportAfter * Math.Pow(Growth, group.Reports);
                group.ReportDue = now + (pause < LongestPause ? pause : LongestPause);
                if (group.Reports >= Times)
                {
                    _silent[index] = _silent[^1];
                    _silent.RemoveAt(_silent.Count - 1);
                    continue;
                }
            }
            if (group.ReportDue < next) next = group.ReportDue;
        }
        if (_due.Count > 0) _parts.Context.Roots.Register(this, PriorityClass.Data);
        if (next != Instant.Never) _alarm.SetIfEarlier(next);
    }

    private void Build(Instant now)
    {
        Debug.Assert(!_trains.IsUnderWay, "what was built has left");
        if (_due.Count == 0) return;
        _budget ??= new TokenBucket(DatagramsASecond, DatagramsASecond / 2, now);
        _due.Sort(static (one, other) => one.Id.CompareTo(other.Id));
        int at = 0;
        Span<(uint Group, ulong Number)> entries = stackalloc (uint, ulong)[LateralSessionBody.MaxGroups];
        IReadOnlyList<RegionView> views = _parts.Context.Cluster.Views;
        for (; _viewAt < views.Count; _viewAt++)
        {
            RegionView view = views[_viewAt];
            int count = 0;
            foreach (LateralGroup group in _due)
            {
                bool isIn = count < entries.Length && view.Region.Groups.Counters.BinarySearch(group.Id) >= 0;
                if (isIn) entries[count++] = (group.Id, group.LastSent);
            }
            if (count == 0 || (view.Members.Length == 1 && view.IndexOf(_parts.Context.SelfKey) == 0)) continue;
            // The other views follow in the next call.
            if (_memory.Length - at < DatagramHeader.Length + LateralSessionBody.MaxLength) return;
            if (!_budget.TryTake(1, now))
            {
                _alarm.SetIfEarlier(_budget.ReadyAt(1, now));
                return;
            }
            var writer = new WireWriter(_memory.AsSpan(at + DatagramHeader.Length));
            LateralSessionBody.Write(ref writer, entries[..count]);
            int length = DatagramHeader.Length + writer.Written;
            _parts.Context.Header(DatagramKind.LateralSession, view).WriteTo(_memory.AsSpan(at, length));
            _trains.Add(view, _memory.AsMemory(at, length));
            at += length;
        }
        _due.Clear();
        _viewAt = 0;
    }
}
