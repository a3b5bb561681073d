namespace QuickSilver.Cli.Printing;

/// <summary>One thing that a command tells: a line of text, and the same as fields for JSON. Not thread-safe.</summary>
/// <param name="type">Its kind, the first field.</param>
internal sealed class PrintItem(string type)
{
    private readonly List<KeyValuePair<string, object?>> _fields = [];

    /// <summary>Its kind.</summary>
    public string Type => type;

    /// <summary>The fields, in the order of their addition.</summary>
    public IReadOnlyList<KeyValuePair<string, object?>> Fields => _fields;

    /// <summary>The line, fit for a terminal; null: the item is shown in JSON only.</summary>
    public string? Line { get; private set; }

    /// <summary>True if the line is a remark beside the data: it goes to the error stream.</summary>
    public bool IsRemark { get; private set; }

    /// <summary>Adds a field.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="value">A text, a number, a truth, a time, a duration (as seconds), or a list of texts or
    /// items; null is written as null.</param>
    /// <returns>This item.</returns>
    public PrintItem Add(string name, object? value)
    {
        _fields.Add(KeyValuePair.Create(name, value));
        return this;
    }

    /// <summary>Sets the line. Foreign text in it has passed <see cref="TerminalText"/>.</summary>
    /// <returns>This item.</returns>
    public PrintItem Say(string line)
    {
        Line = line;
        return this;
    }

    /// <summary>Sets a line that is a remark.</summary>
    /// <returns>This item.</returns>
    public PrintItem Remark(string line)
    {
        IsRemark = true;
        return Say(line);
    }
}
