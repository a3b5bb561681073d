using System.Globalization;

namespace QuickSilver;

/// <summary>Collects the faults of options. Each finding begins with the path of its option.</summary>
internal sealed class OptionErrors
{
    private static readonly TimeSpan LongestTime = TimeSpan.FromHours(12);
    private readonly List<string> _findings = [];
    private bool _isUndecided;

    /// <summary>The findings, in the order of the options; empty if every option is valid.</summary>
    public IReadOnlyList<string> Findings => _findings;

    /// <summary>Adds a finding that begins with the path of its option.</summary>
    public void Add(string finding) => _findings.Add(finding);

    /// <summary>Adds a finding.</summary>
    public void Add(string path, string finding) => _findings.Add($"{path}: {finding}");

    /// <summary>Adds that a choice is missing, which depends on where the program runs and is no mistake in
    /// it.</summary>
    public void AddUndecided(string path, string finding)
    {
        Add(path, finding);
        _isUndecided = true;
    }

    /// <summary>Reports a value outside [<paramref name="min"/>, <paramref name="max"/>].</summary>
    public void InRange(string path, long value, long min, long max, string? hint = null)
    {
        if (value >= min && value <= max) return;
        string bound = max is int.MaxValue or long.MaxValue
            ? string.Create(CultureInfo.InvariantCulture, $"at least {min}")
            : string.Create(CultureInfo.InvariantCulture, $"between {min} and {max}");
        string more = hint is null ? "" : ", " + hint;
        Add(path, string.Create(CultureInfo.InvariantCulture, $"{value} is not {bound}{more}"));
    }

    /// <summary>Reports a duration that is zero, negative, or longer than twelve hours.</summary>
    public void Positive(string path, TimeSpan value, string? hint = null) =>
        Within(path, value, TimeSpan.FromTicks(1), "above zero", hint);

    /// <summary>Reports a duration below <paramref name="least"/>, or longer than twelve hours.</summary>
    public void AtLeast(string path, TimeSpan value, TimeSpan least) =>
        Within(path, value, least, $"at least {least}", hint: null);

    /// <summary>Reports a duration that is negative or longer than twelve hours.</summary>
    public void NotNegative(string path, TimeSpan value) =>
        Within(path, value, TimeSpan.Zero, "zero or more", hint: null);

    /// <summary>Reports a value that its enumeration does not define.</summary>
    public void Defined<T>(string path, T value)
        where T : struct, Enum
    {
        if (!Enum.IsDefined(value))
            Add(path, $"{value} is none of {typeof(T).Name}'s values: {string.Join(", ", Enum.GetNames<T>())}");
    }

    // A bare number in a configuration file parses as days: "10" is not ten seconds.
    private void Within(string path, TimeSpan value, TimeSpan least, string range, string? hint)
    {
        if (value >= least && value <= LongestTime) return;
        string more = hint is null ? "" : ", " + hint;
        string days = value >= TimeSpan.FromDays(1) ? "; a number alone means days, ten seconds are 00:00:10" : "";
        Add(path, $"{value} is not {range} and at most {LongestTime}{more}{days}");
    }

    /// <summary>Throws if there are findings.</summary>
    /// <exception cref="ArgumentException">Its message lists every finding.</exception>
    /// <exception cref="QuickSilverException">Nothing but the choice of security is missing.</exception>
    public void ThrowIfAny(string parameter)
    {
        if (_isUndecided && _findings.Count == 1)
            throw new QuickSilverException(ErrorCode.SecurityNotChosen, _findings[0] + ".");
        if (_findings.Count > 0) throw new ArgumentException(string.Join(Environment.NewLine, _findings), parameter);
    }
}
