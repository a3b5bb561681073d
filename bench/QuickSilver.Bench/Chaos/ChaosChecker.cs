using System.Diagnostics;

namespace QuickSilver.Bench.Chaos;

/// <summary>
/// Judges a chaos run by its logs. Beyond what each log shows by itself (order, no duplicate, no silent gap, whole
/// content, rising views, one content to a view number):
/// <list type="bullet">
/// <item>a loss is told only of senders whose life has ended;</item>
/// <item>who was in a group to the end has every message of living senders handed over after its join had returned, up
/// to the last;</item>
/// <item>of two survivors of one class (so of one region), neither lacks what the other has of a dead sender, handed
/// over after both had joined;</item>
/// <item>nobody whose join had returned begins after a message handed over later;</item>
/// <item>what was confirmed is at every survivor that had joined before;</item>
/// <item>after the last fault, messages of every living sender reach all of each group within the time given.</item>
/// </list>
/// Instants are handed over and read by different processes with one clock. A stamp is taken before the send, so it is
/// never later than the truth:
/// what is demanded is never too much.
/// </summary>
internal sealed class ChaosChecker
{
    private const int MostAlike = 3;

    private readonly ChaosLogs _logs;
    private readonly ChaosEnd _end;
    private readonly double _limit;
    private readonly List<string> _violations;
    private readonly List<LoggedSession> _survivors;

    private ChaosChecker(ChaosLogs logs, ChaosEnd end, double limit)
    {
        _logs = logs;
        _end = end;
        _limit = limit;
        _violations = [.. end.Failures, .. logs.Violations];
        _survivors = [.. logs.Sessions.Where(session => session.IsSurvivor)];
    }

    /// <summary>Judges.</summary>
    /// <param name="logs">What the processes saw.</param>
    /// <param name="end">What the driver knows.</param>
    /// <param name="limit">Seconds from the last fault within which all has to be well.</param>
    public static ChaosFindings Check(ChaosLogs logs, ChaosEnd end, double limit)
    {
        var checker = new ChaosChecker(logs, end, limit);
        checker.CheckEverybodyIsThere();
        checker.CheckLosses();
        checker.CheckCompleteness();
        checker.CheckBeginnings();
        checker.CheckConfirmations();
        double recovered = checker.CheckRecovery();
        return new ChaosFindings
        {
            Messages = logs.Messages,
            Losses = logs.Losses,
            Lives = logs.Lives.Count,
            Evictions = logs.Evictions,
            Confirmations = logs.Confirmations.Count,
            RecoveredSeconds = recovered,
            ConfirmedSeconds = end.Confirmed ?? double.PositiveInfinity,
            Violations = Shorten(checker._violations),
        };
    }

    // One mistake breaks the same promise in many groups: a few of each kind tell as much as all.
    private static List<string> Shorten(List<string> violations)
    {
        List<string> told = [];
        foreach (IGrouping<string, string> alike in violations.GroupBy(
            violation => string.Concat(violation.Where(char.IsAsciiLetter))))
        {
            told.AddRange(alike.Take(MostAlike));
            if (alike.Count() > MostAlike) told.Add($"... and {alike.Count() - MostAlike} more like it");
        }
        return told;
    }

    private void CheckEverybodyIsThere()
    {
        for (int node = 0; node < _end.LastProcesses.Count; node++)
        {
            if (_end.LastProcesses[node] > 0 && !_survivors.Any(session => session.Node == node))
                _violations.Add($"n{node} is in no group at the end");
        }
        if (_end.Confirmed is { } seconds && seconds > _limit)
            _violations.Add($"the last confirmation came {seconds:N1} s after the last fault");
    }

    private void CheckLosses()
    {
        foreach (LoggedSession session in _logs.Sessions)
        {
            foreach (((int group, string sender), LoggedTrack track) in session.Tracks)
            {
                if (!_logs.Lives.TryGetValue(sender, out LoggedLife? life))
                {
                    _violations.Add($"{session.Name}, group {group}: nobody has ever been {sender}");
                }
                else if (track.Losses > 0 && !life.HasEnded)
                {
                    _violations.Add(
                        $"{session.Name}, group {group}: a loss was told of {life.Origin} ({sender}), which lives");
                }
            }
        }
    }

    private void CheckCompleteness()
    {
        foreach (IGrouping<(int Group, string Sender), LoggedSession> heard in
            _survivors.SelectMany(
                session => session.Groups.SelectMany(
                    group => _logs.Lives.Keys.Select(sender => (Key: (group, sender), session))))
                .GroupBy(pair => pair.Key, pair => pair.session))
        {
            LoggedLife life = _logs.Lives[heard.Key.Sender];
            List<LoggedSession> members = [.. heard];
            if (!life.HasEnded)
            {
                CheckLiving(heard.Key.Group, life, members);
                continue;
            }
            foreach (IGrouping<int, LoggedSession> mates in members.GroupBy(session => ChaosPlan.ClassOf(session.Node)))
            {
                CheckDead(heard.Key.Group, life, [.. mates]);
            }
        }
    }

    private void CheckLiving(int group, LoggedLife life, List<LoggedSession> members)
    {
        foreach (LoggedSession member in members) Compare(group, life, member, members);
        if (!life.LastNumbers.TryGetValue(group, out ulong last) || last == 0) return;
        if (!members.Any(member => member.Track(group, life.Id).Last >= last))
        {
            _violations.Add($"group {group}: nobody has {life.Origin}'s last message {last}");
        }
    }

    private void CheckDead(int group, LoggedLife life, List<LoggedSession> mates)
    {
        foreach (LoggedSession mate in mates) Compare(group, life, mate, mates);
    }

    // What others have, and this one owes: at most one complaint for each sender.
    private void Compare(int group, LoggedLife life, LoggedSession member, List<LoggedSession> others)
    {
        LoggedTrack own = member.Track(group, life.Id);
        foreach (LoggedSession other in others)
        {
            long since = Math.Max(member.Joined, other.Joined);
            foreach (LoggedMessage message in other.Track(group, life.Id).Messages)
            {
                if (message.Stamp <= since || own.Has(message.Number)) continue;
                _violations.Add(
                    $"{member.Name}, group {group}: lacks {message.Number} of {life.Origin} ({life.Id}), "
                    + $"which {other.Name} has; its own end at {own.Last}");
                return;
            }
        }
    }

    private void CheckBeginnings()
    {
        var stamps = new Dictionary<(int Group, string Sender, ulong Number), long>();
        foreach (LoggedSession session in _logs.Sessions)
        {
            foreach (((int group, string sender), LoggedTrack track) in session.Tracks)
            {
                foreach (LoggedMessage message in track.Messages)
                    stamps.TryAdd((group, sender, message.Number), message.Stamp);
            }
        }
        foreach (LoggedSession session in _logs.Sessions)
        {
            foreach (((int group, string sender), LoggedTrack track) in session.Tracks)
            {
                if (track.Losses > 0 || track.Messages.Count == 0) continue;
                ulong before = track.Messages[0].Number - 1;
                if (stamps.TryGetValue((group, sender, before), out long stamp) && stamp > session.Joined)
                {
                    double late = Milliseconds(stamp - session.Joined);
                    _violations.Add(
                        $"{session.Name}, group {group}: began after {before} of {sender}, handed over {late:N0} "
                        + $"ms after "
                            + $"its join had returned");
                }
            }
        }
    }

    private void CheckConfirmations()
    {
        foreach (Confirmation confirmed in _logs.Confirmations)
        {
            foreach (LoggedSession session in _survivors)
            {
                if (session.Joined < confirmed.Stamp
                    && session.Groups.Contains(confirmed.Group)
                    && !session.Track(confirmed.Group, confirmed.Sender).Has(confirmed.Number))
                {
                    _violations.Add(
                        $"{session.Name}, group {confirmed.Group}: lacks {confirmed.Number} of "
                        + $"{confirmed.Sender}, which "
                            + $"was confirmed");
                }
            }
        }
    }

    private double CheckRecovery()
    {
        long worst = 0;
        foreach (LoggedLife life in _logs.Lives.Values.Where(life => !life.HasEnded && life.LastNumbers.Count > 0))
        {
            foreach (LoggedSession session in _survivors)
            {
                foreach (int group in session.Groups.Where(life.LastNumbers.ContainsKey))
                {
                    List<LoggedMessage> messages = session.Track(group, life.Id).Messages;
                    int first = messages.FindIndex(message => message.Stamp > _end.LastFault);
                    if (first < 0)
                    {
                        _violations.Add(
                            $"{session.Name}, group {group}: nothing that {life.Origin} sent after the last fault has "
                                + $"come");
                        continue;
                    }
                    worst = Math.Max(worst, messages[first].Received - _end.LastFault);
                }
            }
        }
        double seconds = Milliseconds(worst) / 1000;
        if (seconds > _limit)
            _violations.Add($"it took {seconds:N1} s from the last fault until everybody heard everybody again");
        return seconds;
    }

    private static double Milliseconds(long ticks) => ticks * 1000.0 / Stopwatch.Frequency;
}
