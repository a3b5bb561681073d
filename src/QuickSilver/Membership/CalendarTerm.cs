namespace QuickSilver.Membership;

/// <summary>Terms that follow the calendar, so that they rise from one server to the next although neither knows the
/// other. Any thread.</summary>
internal static class CalendarTerm
{
    private static readonly DateTimeOffset Begin = new(2020, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <summary>The term of a server that begins now: it rises by one each second. An unset clock is before the first
    /// one; 0 is not a valid term.</summary>
    public static uint Now => (uint)Math.Max(1, (TimeProvider.System.GetUtcNow() - Begin).TotalSeconds);
}
