using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery;

/// <summary>
/// Which members are behind, according to the rounds of all region views that this node learns of: by tokens where it
/// is a member, by acknowledgements where it sends.
/// <para>
/// Idea: a round names members that are behind at one moment; any member may be, because of a lost packet. So the time
/// in which a member is named is counted up, and the time in which it is not, down. The member holds regions up once a
/// second more has been counted up. It does so no longer when all is counted down, at the latest three seconds after
/// the last bad round. So a member that is stopped nine tenths of the time is detected, and one that occasionally loses
/// a packet is not. A member is behind steadily when the rounds that do not name it, or name it since it loses packets,
/// count four times, and a second is left. Where processors are busy, many members are behind now and then, and none
/// steadily. Where packets are lost so are tokens: a member that loses packets in each round is not heard in some.
/// </para>
/// <para>
/// Awkward cases: a member is in several views, and views follow each other, so time is counted for the member,
/// whatever the view. A round's report is valid for two seconds: rounds stop when everything is stable. While the token
/// waits for a member no round ends. So a pause in the reports of a view proves nothing, and the waiting time comes
/// with the member's name in the next round. It comes by tokens and acknowledgements, and counts once. In a large
/// region that loses packets all rounds are long. One that does not name a member says that it answered: all the time
/// of the round counts down.
/// </para>
/// <para>
/// Cost: a comparison a round while nobody is behind; else linear in the members behind. A timer runs only meanwhile.
/// Core thread only.
/// </para>
/// </summary>
internal sealed class MemberLags
{
    // How long a member is behind, in sum, before it holds a region up.
    private static readonly TimeSpan HoldsUpAfter = TimeSpan.FromSeconds(1);
    // The most time that is counted up, so the longest time to count it down.
    private static readonly TimeSpan MaxScore = TimeSpan.FromSeconds(3);
    // How long the report of a round is valid.
    private static readonly TimeSpan ValidFor = TimeSpan.FromSeconds(2);
    // After a longer pause between reports, the pause proves nothing.
    private static readonly TimeSpan LongestRound = TimeSpan.FromMilliseconds(300);
    private const int GapsWeigh = 4;
    // The pause between two judgements while a member is behind.
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(500);

    private readonly List<Lag> _lags = [];
    private readonly Alarm _alarm;
    private readonly Action<Instant> _changed;
    private bool _hasChanged;

    /// <summary>Makes an empty record.</summary>
    /// <param name="alarms">The node's timers.</param>
    /// <param name="changed">Called when a member begins, or ceases, to hold regions up; twice a second at
    /// most.</param>
    public MemberLags(AlarmQueue alarms, Action<Instant> changed)
    {
        _alarm = new Alarm(alarms, Look);
        _changed = changed;
    }

    /// <summary>Members that hold regions up.</summary>
    public int HoldingUp { get; private set; }

    /// <summary>When the longest of them began; never, when there is none.</summary>
    public Instant HeldUpSince { get; private set; } = Instant.Never;

    /// <summary>Counts a round of a view, which has named members.</summary>
    public void Note(RegionView view, LagList behind, Instant now)
    {
        if (behind.Count == 0 && _lags.Count == 0) return;
        foreach (Lag lag in _lags)
        {
            lag.Count(now);
            lag.Hear(view, now);
        }
        foreach (LagEntry entry in behind.Entries)
        {
            NodeInfo member = view.Members[entry.Member];
            if (member.IsRemoved) continue;
            FindOrAdd(member, entry.Milliseconds, now).Name(view, entry, now);
        }
        foreach (Lag lag in _lags) lag.EndReport();
        Judge();
        if (_lags.Count > 0 && !_alarm.IsSet) _alarm.Set(now + Period);
    }

    /// <summary>The members that are behind, the slowest first. Allocates the list.</summary>
    public List<LaggingMember> Collect(Instant now)
    {
        var all = new List<LaggingMember>(_lags.Count);
        foreach (Lag lag in _lags)
        {
            if (!lag.Member.IsRemoved) all.Add(lag.ToMember(now));
        }
        all.Sort(LaggingMember.CompareSlowestFirst);
        return all;
    }

    /// <summary>Stops the timer and drops all members.</summary>
    public void Close()
    {
        _alarm.Cancel();
        _lags.Clear();
        Judge();
    }

    private Lag FindOrAdd(NodeInfo member, uint waited, Instant now)
    {
        foreach (Lag lag in _lags)
        {
            if (lag.Member.Number == member.Number) return lag;
        }
        var added = new Lag(member, now - TimeSpan.FromMilliseconds(waited), now);
        _lags.Add(added);
        return added;
    }

    private void Look(Instant now)
    {
        foreach (Lag lag in _lags) lag.Count(now);
        Judge();
        if (_hasChanged)
        {
            _hasChanged = false;
            _changed(now);
        }
        if (_lags.Count > 0) _alarm.Set(now + Period);
    }

    private void Judge()
    {
        int holdingUp = 0;
        HeldUpSince = Instant.Never;
        foreach (Lag lag in _lags)
        {
            _hasChanged |= lag.Judge();
            if (!lag.HoldsUp) continue;
            holdingUp++;
            if (lag.Since < HeldUpSince) HeldUpSince = lag.Since;
        }
        HoldingUp = holdingUp;
        _lags.RemoveAll(static lag => lag.IsOver);
    }

    private sealed class Lag(NodeInfo member, Instant since, Instant now)
    {
        private readonly List<(RegionView View, LagCause Cause, ulong Packets, Instant At)> _places = [];
        private readonly Instant[] _foundAt = new Instant[(int)LagCause.Handling + 1];
        private LagCause _lastCause;
        private TimeSpan _score;
        private TimeSpan _steady;
        private TimeSpan _longRound;
        private Instant _countedTo = now;
        private Instant _heardAt = now;
        private Instant _lateAt;
        private readonly List<RegionView> _views = [];

        public NodeInfo Member { get; } = member;

        public Instant Since { get; } = since;

        public bool HoldsUp { get; private set; }

        public bool IsOver => Member.IsRemoved || (_places.Count == 0 && _score <= TimeSpan.Zero);

        // Counts the time since the last call according to the last rounds.
        public void Count(Instant now)
        {
            TimeSpan passed = now - _countedTo;
            _countedTo = now;
            TimeSpan unheard = now - _heardAt;
            if (_places.Count > 0) _score += passed;
            else if (unheard <= LongestRound || unheard > ValidFor) _score -= passed;
            if (_places.Exists(static place => place.Cause != LagCause.Losing)) _steady += passed;
            else if (unheard <= LongestRound) _steady -= passed * GapsWeigh;
            BoundSteady();
            if (_score > MaxScore) _score = MaxScore;
            if (_score < TimeSpan.Zero) _score = TimeSpan.Zero;
            for (int index = _places.Count - 1; index >= 0; index--)
            {
                if (now - _places[index].At > ValidFor) _places.RemoveAt(index);
            }
        }

        // Counts a round of a view in which the member is not named, unless Name follows.
        public void Hear(RegionView view, Instant now)
        {
            if (!_views.Contains(view)) return;
            _longRound = now - _heardAt > LongestRound ? now - _heardAt : TimeSpan.Zero;
            _heardAt = now;
            for (int index = 0; index < _places.Count; index++)
            {
                if (_places[index].View != view) continue;
                _places.RemoveAt(index);
                return;
            }
        }

        public void Name(RegionView view, in LagEntry entry, Instant now)
        {
            var waited = TimeSpan.FromMilliseconds(entry.Milliseconds);
            if (waited > TimeSpan.Zero && (_lateAt == Instant.Zero || now - _lateAt >= waited))
            {
                _score += waited < HoldsUpAfter ? waited : HoldsUpAfter;
                _steady += waited < HoldsUpAfter ? waited : HoldsUpAfter;
                _lateAt = now;
            }
            _heardAt = now;
            if (entry.Cause != LagCause.Losing) _longRound = TimeSpan.Zero;
            _places.Add((view, entry.Cause, entry.Packets, now));
            _lastCause = entry.Cause;
            _foundAt[(int)entry.Cause] = now;
            if (!_views.Contains(view)) _views.Add(view);
        }

        // The report has named all that it names.
        public void EndReport()
        {
            _steady -= _longRound * GapsWeigh;
            _longRound = TimeSpan.Zero;
            BoundSteady();
        }

        public bool Judge()
        {
            bool holdsUp = !IsOver && (HoldsUp || _score >= HoldsUpAfter);
            bool isChange = holdsUp != HoldsUp;
            HoldsUp = holdsUp;
            return isChange;
        }

        public LaggingMember ToMember(Instant now)
        {
            ulong packets = 0;
            foreach ((_, _, ulong held, _) in _places) packets = Math.Max(packets, held);
            LagCause cause = _lastCause;
            for (LagCause found = LagCause.Handling; found > cause; found--)
            {
                Instant foundAt = _foundAt[(int)found];
                if (foundAt != Instant.Zero && now - foundAt <= ValidFor) cause = found;
            }
            IReadOnlyList<RegionView> views =
                _places.Count > 0 ? _places.ConvertAll(static place => place.View) : [.. _views];
            bool isSteady = HoldsUp && _steady >= HoldsUpAfter;
            return new LaggingMember(Member, cause, packets, Since, HoldsUp, isSteady, views);
        }

        private void BoundSteady()
        {
            if (_steady > MaxScore) _steady = MaxScore;
            if (_steady < TimeSpan.Zero) _steady = TimeSpan.Zero;
        }
    }
}
