namespace QuickSilver.Simulation.Tests.Planted.Breaking;

/// <summary>A change of one source file.</summary>
/// <param name="File">Name of the file: no other in <c>src</c> has it.</param>
/// <param name="Old">A text that occurs once in it.</param>
/// <param name="New">The text that takes its place.</param>
internal sealed record SourcePatch(string File, string Old, string New)
{
    /// <summary>The text of the file after the change.</summary>
    /// <param name="text">The text before.</param>
    /// <param name="defect">The defect's name, for the failure.</param>
    /// <exception cref="InvalidOperationException">The old text does not occur exactly once.</exception>
    public string Apply(string text, string defect)
    {
        int first = text.IndexOf(Old, StringComparison.Ordinal);
        if (first < 0) throw new InvalidOperationException($"{defect}: {File} does not contain\n{Old}");
        if (text.IndexOf(Old, first + 1, StringComparison.Ordinal) >= 0)
            throw new InvalidOperationException($"{defect}: {File} contains more than once\n{Old}");
        return string.Concat(text.AsSpan(0, first), New, text.AsSpan(first + Old.Length));
    }
}
