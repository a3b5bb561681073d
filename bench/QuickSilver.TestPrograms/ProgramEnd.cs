namespace QuickSilver.TestPrograms;

/// <summary>How a run ended.</summary>
/// <param name="Code">One of <see cref="ExitCodes"/>.</param>
/// <param name="Failure">Why the code is not zero.</param>
internal sealed record ProgramEnd(int Code, string? Failure = null)
{
    /// <summary>All went as asked.</summary>
    public static readonly ProgramEnd Success = new(ExitCodes.Success);

    /// <summary>Judges what was received; <see cref="Success"/> when there is nothing to say against it.</summary>
    public static ProgramEnd Judge(CheckReport check)
    {
        if (!check.IsFaultless) return new ProgramEnd(ExitCodes.CheckFailed, check.FirstFault);
        if (check.Expected > 0 && check.Received > check.Expected)
            return new ProgramEnd(
                ExitCodes.CheckFailed, $"{check.Received} messages came, {check.Expected} were expected");
        return Success;
    }
}
