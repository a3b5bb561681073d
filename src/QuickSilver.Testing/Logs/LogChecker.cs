using System.Globalization;

namespace QuickSilver.Testing.Logs;

/// <summary>
/// Reads the log of a run and checks, afterwards and all over again, what the applications were promised. It shares
/// nothing with the checks that run along: another reading of the same promises, from what the applications saw alone,
/// written for plainness and not for speed. It keeps every event and compares lists: O(messages x receivers).
/// </summary>
internal sealed class LogChecker
{
    private readonly Dictionary<(int Sender, string Group, ulong Number), Sent> _sent = [];
    private readonly Dictionary<(string Group, Step View), SortedSet<int>> _views = [];
    private readonly Dictionary<(int Node, string Group), Step> _lastView = [];
    private readonly Dictionary<(int Node, string Group), Session> _open = [];
    private readonly HashSet<(int Node, string Group)> _publishing = [];
    private readonly List<Session> _sessions = [];
    private readonly Dictionary<int, long> _gone = [];
    private readonly List<string> _faults = [];
    private SortedSet<int>? _settled;

    private LogChecker(IEnumerable<string> lines)
    {
        int at = 0;
        foreach (string line in lines)
        {
            at++;
            if (_settled is not null) break;
            try
            {
                Read(line.Split(' '));
            }
            catch (Exception exception)
            when (exception is FormatException or IndexOutOfRangeException or KeyNotFoundException)
            {
                Fault("E1", $"line {at} makes no sense: {line}");
            }
        }
    }

    /// <summary>Checks a log.</summary>
    /// <returns>What is wrong, each with the id of its invariant first; empty when nothing is.</returns>
    public static IReadOnlyList<string> Check(IEnumerable<string> lines)
    {
        var checker = new LogChecker(lines);
        foreach (Session session in checker._sessions) checker.CheckSession(session);
        if (checker._settled is not null) checker.CheckOwed();
        return checker._faults;
    }

    private void Read(string[] words)
    {
        long time = long.Parse(words[0], CultureInfo.InvariantCulture);
        int node = Number(words[1]);
        // Other modes promise less: what they do is checked while the run goes on.
        if (words.Length > 3 && Runs.SimulatedModes.Of(words[3]) != 0) return;
        switch (words[2])
        {
            case "registered":
                break;
            case "session":
                var session = new Session(node, words[3], Step.Parse(words[4]));
                if (!_open.TryAdd((node, words[3]), session)) Fault("D3", $"node {node} is in {words[3]} twice");
                _sessions.Add(session);
                break;
            case "publishes":
                if (!_publishing.Add((node, words[3]))) Fault("D3", $"node {node} publishes to {words[3]} twice");
                break;
            case "ceased":
                _publishing.Remove((node, words[3]));
                break;
            case "sees":
                SortedSet<int> seen = [.. words[5].Split(',', StringSplitOptions.RemoveEmptyEntries).Select(Number)];
                ReadView(node, words[3], Step.Parse(words[4]), seen, isMember: false);
                break;
            case "joined":
                SessionOf(node, words[3]).Joined = time;
                break;
            case "left":
                SessionOf(node, words[3]).Ended = time;
                _open.Remove((node, words[3]));
                break;
            case "view":
                ReadView(node, words[3], Step.Parse(words[4]), [.. words[5].Split(',').Select(Number)]);
                break;
            case "sent":
                var message = new Sent(time, Number(words[5]), words[6]);
                if (!_sent.TryAdd((node, words[3], Count(words[4])), message))
                {
                    Fault("D1", $"node {node} sent message {words[4]} to {words[3]} twice");
                }
                break;
            case "numbered":
                _sent[(node, words[3], Count(words[4]))].View = Step.Parse(words[5]);
                break;
            case "stable":
                _sent[(node, words[3], Count(words[4]))].Stable = time;
                break;
            case "got":
                SessionOf(
                    node, words[3]).Events.Add(
                        new Got(Number(words[4]), Count(words[5]), 1, false, Number(words[6]), words[7]));
                break;
            case "lost":
                SessionOf(
                    node, words[3]).Events.Add(
                        new Got(Number(words[4]), Count(words[5]), Count(words[6]), true, 0, string.Empty));
                if (!_gone.ContainsKey(Number(words[4])))
                    Fault("D7", $"node {node} was told of a loss of node {words[4]}, which is not gone");
                break;
            case "crashed" or "stopped" or "expelled" or "removed":
                _gone.TryAdd(node, time);
                break;
            case "restored":
                _gone.Remove(node);
                break;
            case "settled":
                _settled = [.. words[3].Split(',', StringSplitOptions.RemoveEmptyEntries).Select(Number)];
                break;
            default:
                throw new FormatException(words[2]);
        }
    }

    private void ReadView(int node, string group, Step step, SortedSet<int> members, bool isMember = true)
    {
        if (_views.TryGetValue((group, step), out SortedSet<int>? known) && !known.SetEquals(members))
            Fault(
                "V4",
                $"view {step} of {group} is {string.Join(',', members)} at node {node} and {string.Join(',', known)} "
                    + $"elsewhere");
        _views[(group, step)] = members;
        if (_lastView.TryGetValue((node, group), out Step last) && step.CompareTo(last) < 0 && step.Counter > 0)
        {
            Fault("V1", $"node {node} went from view {last} of {group} to {step}");
        }
        _lastView[(node, group)] = step;
        if (isMember && !members.Contains(node)) Fault("V2", $"node {node} has view {step} of {group} without itself");
    }

    private void CheckSession(Session session)
    {
        foreach (IGrouping<int, Got> events in session.Events.GroupBy(one => one.Sender))
        {
            string who = $"node {session.Node} in {session.Group} of node {events.Key}";
            ulong expected = 0;
            bool jumps = false;
            var seen = new HashSet<ulong>();
            foreach (Got one in events)
            {
                if (one.IsLoss && one.Count == 0)
                {
                    jumps = true;
                    continue;
                }
                if (expected != 0 && one.First < expected)
                {
                    Fault(
                        seen.Contains(one.First) ? "D2" : "D4", $"{who}: message {one.First} when {expected} was next");
                }
                else if (expected != 0 && one.First > expected && !jumps)
                {
                    Fault("D5", $"{who}: message {one.First} when {expected} was next");
                }
                else if (expected == 0 && !jumps)
                {
                    CheckBeginning(session, who, events.Key, one);
                }
                jumps = false;
                expected = one.First + one.Count;
                if (one.IsLoss) continue;
                seen.Add(one.First);
                CheckDelivery(session, who, one);
            }
        }
    }

    // The first message of a sender in a session has no predecessor that the session was owed.
    private void CheckBeginning(Session session, string who, int sender, Got first)
    {
        if (!_sent.TryGetValue((sender, session.Group, first.First - 1), out Sent? before)
            || before.View is not { } view)
            return;
        if (view.CompareTo(session.Began) >= 0)
            Fault("D9", $"{who}: began with message {first.First}, but {first.First - 1} was sent in view {view}");
    }

    private void CheckDelivery(Session session, string who, Got one)
    {
        if (!_sent.TryGetValue((one.Sender, session.Group, one.First), out Sent? sent))
        {
            Fault("D1", $"{who}: message {one.First} was never sent");
            return;
        }
        if (sent.Length != one.Length || sent.Checksum != one.Checksum)
            Fault("D1", $"{who}: message {one.First} is not what was sent");
        if (sent.View is not { } view) return;
        if (view.CompareTo(session.Began) < 0)
        {
            Fault("D9", $"{who}: message {one.First} was sent in view {view}, before the session began with "
                + $"{session.Began}");
        }
        if (_views.TryGetValue((session.Group, view), out SortedSet<int>? members) && !members.Contains(session.Node))
            Fault("D3", $"{who}: message {one.First} was sent in view {view}, without it");
    }

    // What nodes that are well in the end have been owed: all of senders that are well, and all that was known stable
    // of others.
    private void CheckOwed()
    {
        foreach (Session session in _sessions)
        {
            if (session.Ended is not null || !_settled!.Contains(session.Node)) continue;
            var got = new HashSet<(int, ulong)>();
            foreach (Got one in session.Events)
            {
                if (!one.IsLoss) got.Add((one.Sender, one.First));
            }
            foreach (((int sender, string group, ulong number), Sent sent) in _sent)
            {
                if (group != session.Group || sent.View is not { } view || view.CompareTo(session.Began) < 0
                    || got.Contains((sender, number))) continue;
                bool lives = _settled!.Contains(sender) && !_gone.ContainsKey(sender);
                if (sent.Stable is not null)
                {
                    Fault(
                        "D8",
                        $"node {session.Node} in {group} has not got message {number} of node {sender}, which "
                        + $"was known "
                            + $"stable");
                }
                else if (lives)
                {
                    Fault(
                        sender == session.Node ? "D6" : "D7",
                        $"node {session.Node} in {group} has not got message {number} of node {sender}");
                }
            }
        }
    }

    private Session SessionOf(int node, string group) => _open[(node, group)];

    private void Fault(string invariant, string seen) => _faults.Add($"{invariant}: {seen}");

    private static int Number(string word) => int.Parse(word, NumberStyles.None, CultureInfo.InvariantCulture);

    private static ulong Count(string word) => ulong.Parse(word, NumberStyles.None, CultureInfo.InvariantCulture);

    private sealed class Sent(long time, int length, string checksum)
    {
        public long Time { get; } = time;

        public int Length { get; } = length;

        public string Checksum { get; } = checksum;

        public Step? View { get; set; }

        public long? Stable { get; set; }
    }

    private sealed class Session(int node, string group, Step began)
    {
        public int Node { get; } = node;

        public string Group { get; } = group;

        public Step Began { get; } = began;

        public long? Joined { get; set; }

        public long? Ended { get; set; }

        public List<Got> Events { get; } = [];
    }

    private sealed record Got(int Sender, ulong First, ulong Count, bool IsLoss, int Length, string Checksum);

    private readonly record struct Step(ulong Term, ulong Server, ulong Counter) : IComparable<Step>
    {
        public static Step Parse(string word)
        {
            string[] parts = word.Split('.');
            return new Step(LogChecker.Count(parts[0]), LogChecker.Count(parts[1]), LogChecker.Count(parts[2]));
        }

        public int CompareTo(Step other) =>
            (Term, Server, Counter).CompareTo((other.Term, other.Server, other.Counter));

        public override string ToString() => $"{Term}/{Counter}";
    }
}
