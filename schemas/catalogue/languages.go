package catalogue

// language holds short texts in one language of the European Union.
type language struct {
	tag       string // BCP 47
	authority string // code in the language table of the EU Publications Office
	programme string
	module    string
	exam      string
	outcome   string
	sentence  string
	passed    string
}

var languages = []language{
	{"en", "ENG", "Degree programme", "Course module", "Final examination", "Learning outcome",
		"The learner applies the methods of the subject to new problems.", "Passed"},
	{"de", "DEU", "Studiengang", "Lehrmodul", "Abschlussprüfung", "Lernergebnis",
		"Die Lernenden wenden die Methoden des Faches auf neue Aufgaben an.", "Bestanden"},
	{"fr", "FRA", "Programme d’études", "Module de cours", "Examen final", "Acquis d’apprentissage",
		"L’apprenant applique les méthodes de la discipline à de nouveaux problèmes.", "Réussi"},
	{"es", "SPA", "Programa de estudios", "Módulo de curso", "Examen final", "Resultado de aprendizaje",
		"El estudiante aplica los métodos de la materia a problemas nuevos.", "Aprobado"},
	{"it", "ITA", "Corso di laurea", "Modulo didattico", "Esame finale", "Risultato di apprendimento",
		"Lo studente applica i metodi della disciplina a problemi nuovi.", "Superato"},
	{"pt", "POR", "Programa de estudos", "Módulo do curso", "Exame final", "Resultado da aprendizagem",
		"O aluno aplica os métodos da disciplina a novos problemas.", "Aprovado"},
	{"nl", "NLD", "Opleiding", "Cursusmodule", "Eindexamen", "Leerresultaat",
		"De student past de methoden van het vak toe op nieuwe problemen.", "Geslaagd"},
	{"pl", "POL", "Program studiów", "Moduł kursu", "Egzamin końcowy", "Efekt uczenia się",
		"Student stosuje metody przedmiotu do nowych zagadnień.", "Zaliczono"},
	{"cs", "CES", "Studijní program", "Modul kurzu", "Závěrečná zkouška", "Výsledek učení",
		"Student používá metody předmětu na nové úlohy.", "Prospěl"},
	{"sk", "SLK", "Študijný program", "Modul kurzu", "Záverečná skúška", "Výsledok vzdelávania",
		"Študent používa metódy predmetu na nové úlohy.", "Prospel"},
	{"sl", "SLV", "Študijski program", "Modul predmeta", "Zaključni izpit", "Učni izid",
		"Študent uporabi metode predmeta pri novih nalogah.", "Opravil"},
	{"hr", "HRV", "Studijski program", "Modul kolegija", "Završni ispit", "Ishod učenja",
		"Student primjenjuje metode predmeta na nove zadatke.", "Položio"},
	{"hu", "HUN", "Képzési program", "Kurzusmodul", "Záróvizsga", "Tanulási eredmény",
		"A tanuló a tárgy módszereit új feladatokra alkalmazza.", "Megfelelt"},
	{"ro", "RON", "Program de studii", "Modul de curs", "Examen final", "Rezultat al învățării",
		"Studentul aplică metodele disciplinei la probleme noi.", "Promovat"},
	{"bg", "BUL", "Учебна програма", "Модул на курса", "Краен изпит", "Резултат от ученето",
		"Учащият прилага методите на предмета към нови задачи.", "Издържал"},
	{"el", "ELL", "Πρόγραμμα σπουδών", "Ενότητα μαθήματος", "Τελική εξέταση", "Μαθησιακό αποτέλεσμα",
		"Ο μαθητής εφαρμόζει τις μεθόδους του μαθήματος σε νέα προβλήματα.", "Επιτυχία"},
	{"da", "DAN", "Uddannelse", "Kursusmodul", "Afsluttende eksamen", "Læringsudbytte",
		"Den studerende anvender fagets metoder på nye opgaver.", "Bestået"},
	{"sv", "SWE", "Utbildningsprogram", "Kursmodul", "Slutprov", "Läranderesultat",
		"Studenten använder ämnets metoder på nya uppgifter.", "Godkänd"},
	{"fi", "FIN", "Koulutusohjelma", "Kurssin osa", "Loppukoe", "Oppimistulos",
		"Opiskelija soveltaa aineen menetelmiä uusiin tehtäviin.", "Hyväksytty"},
	{"et", "EST", "Õppekava", "Kursuse moodul", "Lõpueksam", "Õpiväljund",
		"Õppija rakendab aine meetodeid uutele ülesannetele.", "Sooritatud"},
	{"lv", "LAV", "Studiju programma", "Kursa modulis", "Gala eksāmens", "Mācīšanās rezultāts",
		"Students lieto priekšmeta metodes jauniem uzdevumiem.", "Nokārtots"},
	{"lt", "LIT", "Studijų programa", "Kurso modulis", "Baigiamasis egzaminas", "Mokymosi rezultatas",
		"Studentas taiko dalyko metodus naujiems uždaviniams.", "Išlaikyta"},
	{"mt", "MLT", "Programm ta’ studju", "Modulu tal-kors", "Eżami finali", "Riżultat tat-tagħlim",
		"L-istudent japplika l-metodi tas-suġġett għal problemi ġodda.", "Għadda"},
	{"ga", "GLE", "Clár céime", "Modúl cúrsa", "Scrúdú deiridh", "Toradh foghlama",
		"Cuireann an foghlaimeoir modhanna an ábhair i bhfeidhm ar fhadhbanna nua.", "Pas"},
}
