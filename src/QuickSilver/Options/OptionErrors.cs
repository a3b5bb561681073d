using System.Globalization;

namespace QuickSilver;

/// <summary>Gathers what is wrong with options: each finding begins with the path of the option.</summary>
internal sealed class OptionErrors
{
    private static readonly TimeSpan LongestTime = TimeSpan.FromHours(12);
    private readonly List<string> _findings = [];

    /// <summary>The findings, in the order of the options; empty when all is well.</summary>
    public IReadOnlyList<string> Findings => _findings;

    /// <summary>Adds a finding.</summary>
    public void Add(string path, string finding) => _findings.Add($"{path}: {finding}");

    /// <summary>Finds values outside [<paramref name="min"/>, <paramref name="max"/>].</summary>
    public void InRange(string path, long value, long min, long max, string? hint = null)
    {
        if (value >= min && value <= max) return;
        string bound = max is int.MaxValue or long.MaxValue
            ? string.Create(CultureInfo.InvariantCulture, $"at least {min}")
            : string.Create(CultureInfo.InvariantCulture, $"between {min} and {max}");
        Add(path, string.Create(CultureInfo.InvariantCulture, $"{value} is not {bound}{(hint is null ? "" : ", " + hint)}"));
    }

    /// <summary>Finds durations that are not above zero, or longer than twelve hours.</summary>
    public void Positive(string path, TimeSpan value, string? hint = null) => Within(path, value, TimeSpan.FromTicks(1), "above zero", hint);

    /// <summary>Finds durations below <paramref name="least"/>, or longer than twelve hours.</summary>
    public void AtLeast(string path, TimeSpan value, TimeSpan least) => Within(path, value, least, $"at least {least}", hint: null);

    /// <summary>Finds durations below zero, or longer than twelve hours.</summary>
    public void NotNegative(string path, TimeSpan value) => Within(path, value, TimeSpan.Zero, "zero or more", hint: null);

    /// <summary>Finds values that are no member of their enumeration.</summary>
    public void Defined<T>(string path, T value)
        where T : struct, Enum
    {
        if (!Enum.IsDefined(value)) Add(path, $"{value} is none of {typeof(T).Name}'s values: {string.Join(", ", Enum.GetNames<T>())}");
    }

    // A number alone in a configuration file is read as days: "10" is not ten seconds.
    private void Within(string path, TimeSpan value, TimeSpan least, string range, string? hint)
    {
        if (value >= least && value <= LongestTime) return;
        string more = hint is null ? "" : ", " + hint;
        string days = value >= TimeSpan.FromDays(1) ? "; a number alone means days, ten seconds are 00:00:10" : "";
        Add(path, $"{value} is not {range} and at most {LongestTime}{more}{days}");
    }

    /// <summary>Throws when anything was found.</summary>
    /// <exception cref="ArgumentException">Lists every finding.</exception>
    public void ThrowIfAny(string parameter)
    {
        if (_findings.Count > 0) throw new ArgumentException(string.Join(Environment.NewLine, _findings), parameter);
    }
}
