using System.Globalization;

namespace QuickSilver.Bench.Chaos;

/// <summary>
/// All logs of a run, read back. What a single log shows to be wrong is found here; what several say together is for
/// <see cref="ChaosChecker"/>. A last line without an end belongs to a process that was killed, and is passed over.
/// </summary>
internal sealed class ChaosLogs
{
    private readonly Dictionary<(int Group, ulong Epoch, ulong Number), string> _views = [];

    /// <summary>The lives, by id.</summary>
    public Dictionary<string, LoggedLife> Lives { get; } = new(StringComparer.Ordinal);

    /// <summary>The sessions.</summary>
    public List<LoggedSession> Sessions { get; } = [];

    /// <summary>The confirmed sends.</summary>
    public List<Confirmation> Confirmations { get; } = [];

    /// <summary>What is wrong so far.</summary>
    public List<string> Violations { get; } = [];

    /// <summary>Messages read, in all.</summary>
    public long Messages { get; private set; }

    /// <summary>Losses told, in all.</summary>
    public long Losses { get; private set; }

    /// <summary>Times a node learned that it had been removed.</summary>
    public int Evictions { get; private set; }

    /// <summary>Reads every log of a directory.</summary>
    /// <param name="directory">Where they are.</param>
    /// <param name="lastProcesses">The newest process of each node.</param>
    public static ChaosLogs Read(string directory, IReadOnlyList<int> lastProcesses)
    {
        var logs = new ChaosLogs();
        foreach (string path in Directory.EnumerateFiles(directory, "n*.log").Order(StringComparer.Ordinal))
        {
            int[] name = [
                .. Path.GetFileNameWithoutExtension(path)[1..].Split('.')
                .Select(part => int.Parse(part, CultureInfo.InvariantCulture))];
            logs.ReadFile(path, name[0], name[1], isLast: lastProcesses[name[0]] == name[1]);
        }
        return logs;
    }

    private void ReadFile(string path, int node, int process, bool isLast)
    {
        var sessions = new Dictionary<string, LoggedSession>(StringComparer.Ordinal);
        LoggedLife? life = null;
        string text = File.ReadAllText(path);
        foreach (ReadOnlySpan<char> line in text.AsSpan(0, text.LastIndexOf('\n') + 1).EnumerateLines())
        {
            if (line.IsEmpty) continue;
            string[] fields = line.ToString().Split(' ');
            long at = Int64(fields[1]);
            if (line.Contains("FAULT", StringComparison.Ordinal)) Violations.Add($"n{node}.{process}: {line}");
            switch (fields[0])
            {
                case "L":
                    if (life is not null) life.HasEnded = true;
                    life = new LoggedLife(fields[3], ChaosOrigin.Parse(fields[2]));
                    if (!Lives.TryAdd(life.Id, life))
                    {
                        Violations.Add(
                            $"n{node}.{process}: the id {life.Id} was given twice, to {Lives[life.Id].Origin} before");
                    }
                    break;
                case "E":
                    if (Lives.TryGetValue(fields[2], out LoggedLife? ended)) ended.HasEnded = true;
                    if (fields[^1] == "evicted") Evictions++;
                    break;
                case "J":
                    var session = new LoggedSession
                    {
                        Node = node,
                        Name = $"n{node}.{process}, session {fields[2]}",
                        Id = fields[3],
                        Joined = at,
                        Groups = [
                            .. fields[4].Split(',').Select(group => int.Parse(group, CultureInfo.InvariantCulture))],
                    };
                    sessions.Add(fields[2], session);
                    Sessions.Add(session);
                    break;
                case "B" or "Q":
                    if (sessions.TryGetValue(fields[2], out LoggedSession? left)) left.IsOpen = false;
                    break;
                case "C":
                    Confirmations.Add(
                        new Confirmation(fields[2], Int32(fields[3]), UInt64(fields[4]), Int64(fields[5]), at));
                    break;
                case "F":
                    Lives[fields[2]].LastNumbers[Int32(fields[3])] = UInt64(fields[4]);
                    break;
                case "V" or "M" or "X" or "O":
                    ReadEvent(fields, sessions[fields[2]], Int32(fields[3]), at);
                    break;
            }
        }
        if (life is not null && !isLast) life.HasEnded = true;
        foreach (LoggedSession session in sessions.Values)
            session.IsSurvivor = session.IsOpen && isLast && life is { HasEnded: false } && life.Id == session.Id;
    }

    private void ReadEvent(string[] fields, LoggedSession session, int group, long at)
    {
        string? wrong = null;
        switch (fields[0])
        {
            case "M":
                Messages++;
                wrong = session.Track(group, fields[4]).Add(new LoggedMessage(UInt64(fields[5]), Int64(fields[6]), at));
                if (Lives.TryGetValue(fields[4], out LoggedLife? sender)
                    && sender.Origin != ChaosOrigin.Parse(fields[7]))
                    wrong ??= $"it says it is from {fields[7]}, and came as from {sender.Origin}";
                break;
            case "O":
                Losses++;
                wrong = session.Track(group, fields[4]).AddLoss(UInt64(fields[5]), UInt64(fields[6]));
                if (fields[7] is not nameof(LossReason.SenderFailed))
                {
                    wrong ??= $"the loss has the reason {fields[7]}";
                }
                break;
            case "X":
                wrong = string.Join(' ', fields);
                break;
            default:
                wrong = CheckView(session, group, (UInt64(fields[4]), UInt64(fields[5])), fields[6]);
                break;
        }
        if (wrong is not null)
            Violations.Add($"{session.Name}, group {group}, {(fields[0] == "V" ? "view" : fields[4])}: {wrong}");
    }

    private string? CheckView(LoggedSession session, int group, (ulong Epoch, ulong Number) view, string members)
    {
        string? wrong = null;
        if (session.Views.TryGetValue(group, out (ulong Epoch, ulong Number) before) && before.CompareTo(view) >= 0)
        {
            wrong = $"{view} came after {before}";
        }
        session.Views[group] = view;
        if (!_views.TryAdd((group, view.Epoch, view.Number), members)
            && _views[(group, view.Epoch, view.Number)] != members)
            wrong ??= $"{view} is {members} here, and {_views[(group, view.Epoch, view.Number)]} elsewhere";
        return wrong;
    }

    private static int Int32(string text) => int.Parse(text, CultureInfo.InvariantCulture);

    private static long Int64(string text) => long.Parse(text, CultureInfo.InvariantCulture);

    private static ulong UInt64(string text) => ulong.Parse(text, CultureInfo.InvariantCulture);
}
